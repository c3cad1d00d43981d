// Converts the input of an operation to JSON Schema for the documents, with the lengths, ranges, enums, defaults and
// descriptions of the schema that validates it.
import { type ConversionConfig, type JsonSchema, toJsonSchema } from '@valibot/to-json-schema';
import type { InputSchema } from '../../operations/operation.ts';

export type InputMember = { name: string; schema: JsonSchema; isRequired: boolean };

/** The members in the order of the operation's schema. */
export function inputMembers(input: InputSchema): InputMember[] {
  const { properties = {}, required = [] } = toJsonSchema(input, CONVERSION);
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    schema: typeof schema === 'boolean' ? {} : schema,
    isRequired: required.includes(name),
  }));
}

// Checks are functions, which JSON Schema cannot express; their metadata describes them.
const CONVERSION: ConversionConfig = {
  target: 'draft-2020-12',
  typeMode: 'input',
  errorMode: 'ignore',
  ignoreActions: ['check'],
  overrideAction: ({ valibotAction, jsonSchema }) =>
    valibotAction.type === 'metadata' ? withoutFillers(jsonSchema) : undefined,
};

function withoutFillers({ integer, ...schema }: JsonSchema & { integer?: true }): JsonSchema {
  if (schema.minLength === 0) delete schema.minLength;
  return integer === true ? { ...schema, type: 'integer' } : schema;
}

// The members of an operation's schema, and arguments generated from them. Tests that use this cover new members
// automatically.
import * as v from 'valibot';
import type { AnyOperation } from '../../../server/operations/operation.ts';
import type { JsonObject } from '../json.ts';

export type Member = {
  name: string;
  /** A form is a text with a specific format, such as a timestamp. */
  kind: 'text' | 'form' | 'number' | 'word' | 'list' | 'flag';
  isRequired: boolean;
  /** Characters of a text, the value of a number, or items of a list. */
  least: number;
  most: number;
  /** Whether a number must be greater than the minimum. */
  isAbove: boolean;
  words: readonly string[];
  /** The minimal text where a format is required. It can grow at the x. */
  example: string;
};

const KINDS: Readonly<Record<string, Member['kind']>> = {
  string: 'text',
  number: 'number',
  picklist: 'word',
  array: 'list',
  boolean: 'flag',
};

export function membersOf({ name: operation, input }: AnyOperation): Member[] {
  return Object.entries(input.entries).map(([name, schema]) => {
    const inner = innermost(schema);
    const {
      minLength = 0,
      maxLength,
      exclusiveMinimum,
      minimum = exclusiveMinimum ?? 0,
      maximum,
      maxItems,
    } = v.getMetadata(inner);
    const [example = 'x']: readonly unknown[] = v.getExamples(inner);
    const kind = inner.type === 'string' && maxLength === undefined ? 'form' : KINDS[inner.type];
    if (kind === undefined)
      throw new Error(`${operation}.${name} is of a kind that this test does not know: ${inner.type}`);
    return {
      name,
      kind,
      isRequired: schema.type !== 'optional',
      least: Number(kind === 'text' ? minLength : minimum),
      most: Number(maxLength ?? maximum ?? maxItems),
      isAbove: exclusiveMinimum !== undefined,
      example: String(example),
      words: 'options' in inner && Array.isArray(inner.options) ? inner.options.map(String) : [],
    };
  });
}

function innermost(schema: v.GenericSchema): v.GenericSchema {
  return 'wrapped' in schema && isSchema(schema.wrapped) ? innermost(schema.wrapped) : schema;
}

function isSchema(value: unknown): value is v.GenericSchema {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'schema';
}

/** The shortest valid arguments. */
export function sampleOf(operation: AnyOperation): JsonObject {
  const required = membersOf(operation).filter(({ isRequired }) => isRequired);
  return Object.fromEntries(required.map((member) => [member.name, valueOf(member)]));
}

/** A text of this many characters that satisfies all other rules of the member. */
export function textOfLength({ example }: Member, character: string, length: number): string {
  return example.replace('x', character.repeat(length - example.length + 1));
}

/** A valid value of the member. */
export function valueOf(member: Member): unknown {
  const { kind, least, words, example } = member;
  if (kind === 'form') throw new Error('a required member with a special format needs a sample here');
  return {
    text: textOfLength(member, 'x', Math.max(example.length, least)),
    number: member.isAbove ? member.most : least,
    word: words[0],
    list: [],
    flag: false,
  }[kind];
}

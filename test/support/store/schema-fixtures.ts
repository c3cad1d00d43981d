// Databases of every past schema, each created by the program of its time with rows in every table. npm run
// schema-fixture adds one. A new schema requires no change here.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import * as v from 'valibot';

const FOLDER = fileURLToPath(new URL('../../store/schemas', import.meta.url));

const described = v.object({
  made_at: v.number(),
  account: v.object({
    username: v.string(),
    password: v.string(),
    user_token: v.string(),
    network_token: v.string(),
    network_id: v.string(),
    tasks: v.record(v.string(), v.string()),
  }),
  rows: v.record(v.string(), v.number()),
});

export type SchemaFixture = v.InferOutput<typeof described> & { schema: number };

export const SCHEMA_FIXTURES: readonly SchemaFixture[] = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.json'))
  .sort()
  .map((name) => ({
    schema: Number(/\d+/.exec(name)?.[0]),
    ...v.parse(described, JSON.parse(readFileSync(join(FOLDER, name), 'utf8'))),
  }));

/** Writes the database of a fixture to `file`. */
export function unpack({ schema }: SchemaFixture, file: string): void {
  writeFileSync(
    file,
    gunzipSync(readFileSync(join(FOLDER, 'databases', `schema-${String(schema).padStart(4, '0')}.db.gz`))),
    {
      mode: 0o600,
    },
  );
}

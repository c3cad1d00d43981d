// Makes the two scripts of the executable: dist/server.mjs, which is everything under server/ with its packages, and
// dist/password-worker.js, the source of the thread that hashes.
import { readFile, writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { build, type BuildOptions, type Plugin } from 'esbuild';
import { DIST, ROOT, type Step } from './step.ts';

export const serverStep: Step = {
  name: 'server',
  reads: ['server', 'build', 'package.json', 'package-lock.json', 'tsconfig.json'],
  makes: ['dist/server.mjs', 'dist/server.meta.json', 'dist/password-worker.js'],
  run: () => bundleServer(join(ROOT, 'server/main.ts'), DIST),
};

export async function bundleServer(main: string, to: string): Promise<string> {
  const [server, worker] = await Promise.all([
    build({ ...serverOptions, entryPoints: [main], outfile: join(to, 'server.mjs') }),
    build({ ...workerOptions, outfile: join(to, 'password-worker.js') }),
  ]);
  await writeFile(join(to, 'server.meta.json'), JSON.stringify([server.metafile, worker.metafile]));
  const [output] = Object.values(server.metafile.outputs);
  return `${Math.ceil((output?.bytes ?? 0) / 1000)} kB`;
}

/** Not minified: it would save 3 MB of memory, and a crash would print all of the program as the one line it is. */
const common = {
  absWorkingDir: ROOT,
  bundle: true,
  metafile: true,
  platform: 'node',
  target: 'node26',
  logLevel: 'warning',
} satisfies BuildOptions;

const serverOptions = {
  ...common,
  format: 'esm',
  // Koa's packages bring four copies of this table, each of which is read at every start.
  alias: { 'mime-db': join(ROOT, 'node_modules/mime-db') },
  banner: { js: "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);" },
  plugins: [requiredBuiltins(), embeddedLibsql()],
} satisfies BuildOptions;

/** A worker from a string is CommonJS. */
const workerOptions = {
  ...common,
  format: 'cjs',
  entryPoints: [join(ROOT, 'server/native/password-worker.ts')],
} satisfies BuildOptions;

/**
 * Turns `import 'node:http'` into `require('node:http')`. An import reads every export once to make its namespace, and
 * that of http loads undici to read `WebSocket`: 20 ms of a start that takes 80.
 */
function requiredBuiltins(): Plugin {
  const builtins = new Set(builtinModules.flatMap((name) => [name, `node:${name}`]));
  return {
    name: 'required-builtins',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^[a-z]/ }, ({ path, kind }) => {
        const isImported = kind === 'import-statement' && builtins.has(path);
        return isImported ? { path, namespace: 'builtin' } : undefined;
      });
      onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({ contents: `module.exports = require('${path}')` }));
    },
  };
}

/** Replaces the search for the addon in node_modules, and its two packages with it, by the addon inside the executable. */
function embeddedLibsql(): Plugin {
  return {
    name: 'embedded-libsql',
    setup({ onLoad }) {
      onLoad({ filter: /node_modules\/libsql\/index\.js$/ }, async ({ path }) => {
        const source = await readFile(path, 'utf8');
        return { contents: withEmbeddedAddon(source), loader: 'js' };
      });
    },
  };
}

function withEmbeddedAddon(source: string): string {
  const search = /^const \{ load, currentTarget \} = .*?^function requireNative\(\) \{.*?^\}$/ms;
  if (!search.test(source)) throw new Error('libsql/index.js looks for its addon in a new way: see build/server.ts');
  const addon = join(ROOT, 'server/native/libsql-addon.ts');
  return source.replace(search, () => `const requireNative = () => require(${JSON.stringify(addon)}).loadAddon();`);
}

// Bundles the scripts of the executable: dist/server.js, which is everything under server/ with its packages; the two mains that
// compile and run it, dist/boot.js and, for the build alone, dist/warm-up.js; and dist/password-worker.js, the source of the thread
// that hashes.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type BuildOptions, type Plugin } from 'esbuild';
import { DIST, ROOT, type Step } from './step.ts';

export const serverStep: Step = {
  name: 'server',
  reads: ['server', 'build', 'package.json', 'package-lock.json', 'tsconfig.json'],
  makes: ['dist/server.js', 'dist/server.meta.json', 'dist/boot.js', 'dist/warm-up.js', 'dist/password-worker.js'],
  run: () => bundleServer(join(ROOT, 'server/main.ts'), DIST),
};

export async function bundleServer(main: string, to: string): Promise<string> {
  const bundles = await Promise.all([
    build({ ...serverOptions, entryPoints: [main], outfile: join(to, 'server.js') }),
    build({ ...mainOptions, entryPoints: [join(ROOT, 'server/native/boot.ts')], outfile: join(to, 'boot.js') }),
    build({ ...mainOptions, entryPoints: [join(ROOT, 'build/warm-up-main.ts')], outfile: join(to, 'warm-up.js') }),
    build({ ...mainOptions, entryPoints: [join(ROOT, 'server/native/password-worker.ts')], outfile: join(to, 'password-worker.js') }),
  ]);
  await writeFile(join(to, 'server.meta.json'), JSON.stringify(bundles.map(({ metafile }) => metafile)));
  const [output] = Object.values(bundles[0].metafile.outputs);
  return `${Math.ceil((output?.bytes ?? 0) / 1000)} kB`;
}

/** Not minified: it would save 3 MB of memory, and a crash would print all of the program as the one line it is. */
const mainOptions = {
  absWorkingDir: ROOT,
  bundle: true,
  metafile: true,
  platform: 'node',
  target: 'node26',
  format: 'cjs',
  // ASCII takes one byte per character in memory.
  charset: 'ascii',
  // Only the source knows where its files are.
  define: { 'import.meta.url': 'undefined' },
  logLevel: 'warning',
} satisfies BuildOptions;

const serverOptions = {
  ...mainOptions,
  // Koa's packages bring four copies of this table, each of which is read at every start.
  alias: { 'mime-db': join(ROOT, 'node_modules/mime-db') },
  plugins: [embeddedLibsql()],
  // An expression, which server/native/compiled.ts compiles and calls. Its `require` knows the modules of Node and no others.
  banner: { js: '(function (require) {' },
  footer: { js: '})' },
} satisfies BuildOptions;

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

// Creates dist/console.pack: console/main.tsx and its imports, bundled and minified under names with a hash, and
// index.html, whose `/main.js`, `/main.css` and `/icon.svg` are replaced by those names.
import { existsSync, writeFileSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { type BuildOptions, build, type Metafile, type OutputFile } from 'esbuild';
import { minifySync } from 'oxc-minify';
import { minify } from 'terser';
import { type ConsoleFile, packFiles } from '../server/http/console/pack.ts';
import { lexerOnly } from './lexer-only.ts';
import { linesOnly } from './lines-only.ts';
import { DIST, ROOT, type Step } from './step.ts';

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

export const consoleStep: Step = {
  name: 'console',
  reads: ['console', 'server/domain', 'build', 'server/http/console/pack.ts', 'package-lock.json', 'tsconfig.json'],
  makes: ['dist/console.pack', 'dist/console.meta.json'],
  run: () => writeConsole(join(ROOT, 'console'), join(DIST, 'console.pack')),
};

async function writeConsole(from: string, to: string): Promise<string> {
  const files = await bundleConsole(from, (metafile) =>
    writeFileSync(to.replace(/pack$/, 'meta.json'), JSON.stringify([metafile])),
  );
  const pack = packFiles(files);
  // Renaming is atomic, so that a hub that starts at this moment reads the old pack or the new one.
  await writeFile(`${to}.new`, pack);
  await rename(`${to}.new`, to);
  return `${files.length} files, ${Math.ceil(pack.length / 1000)} kB`;
}

/** Returns the page first. Throws on a warning too, such as a mistake in a stylesheet. */
export async function bundleConsole(
  directory: string,
  onMetafile: (metafile: Metafile) => void = () => {},
): Promise<ConsoleFile[]> {
  const page = await readFile(join(directory, 'index.html'), 'utf8');
  const { outputFiles, metafile, warnings } = await build(options(directory, page));
  if (warnings.length > 0) throw new Error('the console has warnings; see above');
  onMetafile(metafile);
  const assets = await Promise.all(outputFiles.map(toAsset));
  return [
    { path: '/index.html', type: 'text/html; charset=utf-8', body: Buffer.from(linked(page, assets)) },
    ...assets,
  ];
}

function options(directory: string, page: string) {
  return {
    absWorkingDir: directory,
    entryPoints: ['main.tsx', ...ownFiles(directory, page)],
    outdir: '/assets',
    entryNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    publicPath: '/assets/',
    loader: { '.svg': 'copy', '.png': 'copy', '.woff2': 'copy' },
    bundle: true,
    metafile: true,
    minify: true,
    plugins: [lexerOnly, linesOnly],
    charset: 'utf8', // escaped, the compressed Chinese texts are 6% longer
    splitting: true,
    write: false,
    format: 'esm',
    target: ['es2022', 'chrome125', 'firefox125', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'warning',
  } satisfies BuildOptions;
}

/** Files next to the page that it refers to, such as its icon. */
function ownFiles(directory: string, page: string): string[] {
  return namesIn(page).filter((name) => existsSync(join(directory, name)));
}

function namesIn(page: string): string[] {
  return [...page.matchAll(/(?:src|href)="\/([^"/]+)"/g)].map(([, name = '']) => name);
}

async function toAsset({ path, contents }: OutputFile): Promise<ConsoleFile> {
  const name = basename(path);
  const type = TYPES[extname(name)];
  if (!type) throw new Error(`the console has no content type for ${name}: add it in build/console.ts`);
  return { path: `/assets/${name}`, type, body: name.endsWith('.js') ? await minified(name, contents) : contents };
}

/** 4% smaller once compressed than what esbuild makes. The names that chunks export stay as they are. */
async function minified(name: string, contents: Uint8Array): Promise<Uint8Array> {
  const text = Buffer.from(contents).toString();
  const compressed = await minify(text, { module: true, mangle: { toplevel: true }, compress: { passes: 3 } });
  const { code, errors } = minifySync(name.replace(/js$/, 'mjs'), compressed.code ?? '', {
    module: true,
    mangle: { toplevel: true },
  });
  if (errors.length > 0) throw new Error(`${name} cannot be minified: ${errors[0]?.message}`);
  return Buffer.from(code);
}

/** Throws if the page refers to a file that the build did not create, so that a dead link fails the build. */
function linked(page: string, assets: ConsoleFile[]): string {
  return namesIn(page).reduce((html, name) => {
    const asset = assets.find(({ path }) => nameWithoutHash(path) === name);
    if (!asset) throw new Error(`index.html refers to /${name}, which does not exist in the console`);
    return html.replace(`"/${name}"`, `"${asset.path}"`);
  }, page);
}

function nameWithoutHash(path: string): string {
  return basename(path).replace(/-[A-Z0-9]{8}(?=\.\w+$)/, '');
}

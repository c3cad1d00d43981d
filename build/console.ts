// Makes dist/console.pack: console/main.tsx and everything it imports, bundled and minified under names that carry a
// hash, and index.html, whose `/main.js`, `/main.css` and `/icon.svg` are replaced by those names.
import { existsSync, writeFileSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { type BuildOptions, build, type Metafile, type OutputFile } from 'esbuild';
import { type ConsoleFile, packFiles } from '../server/http/console/pack.ts';
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
  reads: ['console', 'build', 'server/http/console/pack.ts', 'package-lock.json', 'tsconfig.json'],
  makes: ['dist/console.pack', 'dist/console.meta.json'],
  run: () => writeConsole(join(ROOT, 'console'), join(DIST, 'console.pack')),
};

async function writeConsole(from: string, to: string): Promise<string> {
  const files = await bundleConsole(from, (metafile) =>
    writeFileSync(to.replace(/pack$/, 'meta.json'), JSON.stringify([metafile])),
  );
  const pack = packFiles(files);
  // Renamed into place, so that a hub that starts at this moment reads the old pack or the new one.
  await writeFile(`${to}.new`, pack);
  await rename(`${to}.new`, to);
  return `${files.length} files, ${Math.ceil(pack.length / 1000)} kB`;
}

/** The page comes first. */
export async function bundleConsole(
  directory: string,
  onMetafile: (metafile: Metafile) => void = () => {},
): Promise<ConsoleFile[]> {
  const page = await readFile(join(directory, 'index.html'), 'utf8');
  const { outputFiles, metafile } = await build(options(directory, page));
  onMetafile(metafile);
  const assets = outputFiles.map(toAsset);
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
    splitting: true,
    write: false,
    format: 'esm',
    target: ['es2022', 'chrome125', 'firefox125', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'warning',
  } satisfies BuildOptions;
}

/** Files beside the page that it names itself, such as its icon. */
function ownFiles(directory: string, page: string): string[] {
  return namesIn(page).filter((name) => existsSync(join(directory, name)));
}

function namesIn(page: string): string[] {
  return [...page.matchAll(/(?:src|href)="\/([^"/]+)"/g)].map(([, name = '']) => name);
}

function toAsset({ path, contents }: OutputFile): ConsoleFile {
  const name = basename(path);
  const type = TYPES[extname(name)];
  if (!type) throw new Error(`the console has no content type for ${name}: add it in build/console.ts`);
  return { path: `/assets/${name}`, type, body: contents };
}

/** Every file the page names must have been made: a dead link in it is a mistake of the build, not of the browser. */
function linked(page: string, assets: ConsoleFile[]): string {
  return namesIn(page).reduce((html, name) => {
    const made = assets.find(({ path }) => nameWithoutHash(path) === name);
    if (!made) throw new Error(`index.html names /${name}, which the console does not have`);
    return html.replace(`"/${name}"`, `"${made.path}"`);
  }, page);
}

function nameWithoutHash(path: string): string {
  return basename(path).replace(/-[A-Z0-9]{8}(?=\.\w+$)/, '');
}

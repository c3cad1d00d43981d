import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bundleConsole } from '../../build/console.ts';

const PAGE =
  '<link rel="icon" href="/icon.svg"><link rel="stylesheet" href="/main.css"><script src="/main.js"></script>';
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'console-'));
  write('index.html', PAGE);
  write('main.tsx', "import './look.css'; const word: string = 'hello'; document.title = word;");
  write('look.css', 'body { margin: 0 }');
  write('icon.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>');
});

afterEach(() => rmSync(directory, { recursive: true }));

describe('the bundled console', () => {
  test('starts with the page, then its assets, under names that contain a hash', async () => {
    const [page, ...assets] = await bundleConsole(directory);
    expect(page).toMatchObject({ path: '/index.html', type: 'text/html; charset=utf-8' });
    expect(assets.map(({ path }) => path).sort()).toEqual([
      expect.stringMatching(/^\/assets\/icon-[A-Z0-9]{8}\.svg$/),
      expect.stringMatching(/^\/assets\/main-[A-Z0-9]{8}\.css$/),
      expect.stringMatching(/^\/assets\/main-[A-Z0-9]{8}\.js$/),
    ]);
    for (const { path } of assets) expect(text(page)).toContain(`"${path}"`);
  });

  test('keeps a name while the content is unchanged', async () => {
    const names = async () => (await bundleConsole(directory)).map(({ path }) => path);
    const before = await names();
    expect(await names()).toEqual(before);
    write('main.tsx', "document.title = 'goodbye';");
    write('index.html', PAGE.replace('<link rel="stylesheet" href="/main.css">', ''));
    expect(await names()).not.toEqual(before);
  });

  test('fails when the page names a missing file', async () => {
    write('index.html', `${PAGE}<script src="/gone.js"></script>`);
    await expect(bundleConsole(directory)).rejects.toThrow('index.html refers to /gone.js');
  });
});

function write(name: string, content: string): void {
  writeFileSync(join(directory, name), content);
}

function text(file: { body: Uint8Array } | undefined): string {
  return Buffer.from(file?.body ?? []).toString();
}

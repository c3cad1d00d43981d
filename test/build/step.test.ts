import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { bringUpToDate, DIST, ROOT, type Step } from '../../build/step.ts';

let directory: string;
let runs: number;
let step: Step;

beforeEach(() => {
  mkdirSync(DIST, { recursive: true });
  directory = mkdtempSync(join(DIST, 'step-'));
  mkdirSync(join(directory, 'in/deep'), { recursive: true });
  write('in/deep/a.txt', 'one');
  runs = 0;
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  step = { name: relative(DIST, directory), reads: [path('in')], makes: [path('out')], run };
});

afterEach(() => {
  vi.restoreAllMocks();
  rmSync(directory, { recursive: true });
  rmSync(join(DIST, `.${step.name}`), { force: true });
});

describe('a step of the build', () => {
  test('runs once and then only after a change', async () => {
    expect(await bringUpToDate(step)).toBe(true);
    expect(await bringUpToDate(step)).toBe(false);
    write('in/deep/a.txt', 'two');
    expect(await bringUpToDate(step)).toBe(true);
    expect(runs).toBe(2);
  });

  test.each<[string, () => void]>([
    ['a new file', () => write('in/b.txt', '')],
    [
      'a file moved',
      () => {
        rmSync(join(directory, 'in/deep/a.txt'));
        write('in/deep/b.txt', 'one');
      },
    ],
    ['its output missing', () => rmSync(join(directory, 'out'))],
  ])('runs again for %s', async (_, change) => {
    await bringUpToDate(step);
    change();
    expect(await bringUpToDate(step)).toBe(true);
  });

  test('does not run for a file whose content is unchanged', async () => {
    await bringUpToDate(step);
    utimesSync(join(directory, 'in/deep/a.txt'), 1, 1);
    expect(await bringUpToDate(step)).toBe(false);
  });

  test('that failed runs again', async () => {
    const failing = { ...step, run: () => Promise.reject(new Error('no')) };
    await expect(bringUpToDate(failing)).rejects.toThrow('no');
    expect(await bringUpToDate(step)).toBe(true);
  });
});

function path(name: string): string {
  return relative(ROOT, join(directory, name));
}

function write(name: string, content: string): void {
  writeFileSync(join(directory, name), content);
}

async function run(): Promise<string> {
  runs++;
  write('out', 'made');
  return 'made it';
}

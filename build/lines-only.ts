// Leaves out what the chart of the console does not use of uPlot: its other kinds of paths, and joining tables. They
// are assigned to the constructor, so the bundler keeps them, a tenth of the package.
import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

const UNUSED = [
  'paths.stepped = stepped',
  'paths.bars    = bars',
  'paths.spline  = monotoneCubic',
  'uPlot.join = join',
];

export const linesOnly: Plugin = {
  name: 'lines-only',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]uPlot\.esm\.js$/ }, async ({ path }) => ({
      contents: withLinesOnly(await readFile(path, 'utf8')),
    })),
};

export function withLinesOnly(source: string): string {
  return UNUSED.reduce((rest, assignment) => {
    const [before, after, ...others] = rest.split(assignment);
    if (before === undefined || after === undefined || others.length > 0)
      throw new Error('this version of uPlot is written differently: adapt build/lines-only.ts');
    return `${before}0${after}`;
  }, source);
}

// `npm run build`: builds console, server, Node and executable, each only when its inputs have changed.
import { binaryStep, nodeStep } from './binary.ts';
import { consoleStep } from './console.ts';
import { licensesStep } from './licenses.ts';
import { withLock } from './lock.ts';
import { serverStep } from './server.ts';
import { bringUpToDate } from './step.ts';

/** Runs the steps in order; the executable depends on the others. Returns whether anything was out of date. */
export function build(): Promise<boolean> {
  return withLock(async () => {
    const ran: boolean[] = [];
    for (const step of [consoleStep, serverStep, licensesStep, nodeStep, binaryStep])
      ran.push(await bringUpToDate(step));
    return ran.includes(true);
  });
}

if (import.meta.main) {
  const built = await build();
  process.stderr.write(built ? '' : 'dist/agenthub is up to date\n');
}

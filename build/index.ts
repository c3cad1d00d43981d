// `npm run build`: console, server, Node, executable; each only when what it is made of has changed.
import { binaryStep, nodeStep } from './binary.ts';
import { consoleStep } from './console.ts';
import { licensesStep } from './licenses.ts';
import { alone } from './lock.ts';
import { serverStep } from './server.ts';
import { bringUpToDate } from './step.ts';

/** In order: the executable is made of what the others make. Answers whether anything was out of date. */
export function build(): Promise<boolean> {
  return alone(async () => {
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

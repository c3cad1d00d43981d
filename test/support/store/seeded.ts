// Reproducible randomness: one number decides every draw, and a failing test prints it. SEED=… repeats it.
import { onTestFailed } from 'vitest';
import { type Draws, draws } from '../../../scripts/support/random.ts';

/** Draws for one test. */
export function seededDraws(): Draws {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 32));
  onTestFailed(() => void process.stderr.write(`\nto draw the same again: SEED=${seed}\n`));
  return draws(seed);
}

// Prompts for input on the terminal. A secret is not shown on the screen.
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandError, wrongUsage } from './exit-codes.ts';

export function ask(question: string): Promise<string> {
  return askOn(question, process.stderr);
}

/** Discards the echo of readline, which otherwise edits the line as usual. */
export async function askSecret(question: string): Promise<string> {
  process.stderr.write(question);
  const answer = await askOn('', new Writable({ write: (_chunk, _encoding, done) => done() }));
  process.stderr.write('\n');
  return answer;
}

async function askOn(question: string, output: NodeJS.WritableStream): Promise<string> {
  if (!process.stdin.isTTY) throw wrongUsage('cannot prompt without a terminal; pass --username and --password-stdin');
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  const { promise: left, reject } = Promise.withResolvers<never>();
  lines.once('SIGINT', () => reject(new CommandError('nothing was changed')));
  lines.once('close', () => reject(new CommandError('nothing was changed')));
  try {
    return await Promise.race([lines.question(question), left]);
  } finally {
    left.catch(() => {});
    lines.close();
  }
}

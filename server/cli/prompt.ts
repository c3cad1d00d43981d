// Prompts for input on the terminal. From its opening on, nothing typed is echoed except the answer to an open
// question, so a secret that is typed or pasted too early never shows.
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { printable } from '../domain/text/terminal-text.ts';
import { CommandError, wrongUsage } from './exit-codes.ts';

export type Prompt = {
  ask(question: string): Promise<string>;
  /** The answer does not appear on the screen. */
  askSecret(question: string): Promise<string>;
  close(): void;
};

/** Without a terminal, only a question fails. */
export function openPrompt(): Prompt {
  return process.stdin.isTTY ? promptOnTerminal() : NO_TERMINAL;
}

const NO_TERMINAL: Prompt = {
  ask: async () => refuse(),
  askSecret: async () => refuse(),
  close: () => {},
};

function refuse(): never {
  throw wrongUsage('cannot prompt without a terminal; pass --username and --password-stdin');
}

function promptOnTerminal(): Prompt {
  const screen = openScreen();
  const lines = createInterface({ input: process.stdin, output: screen.output, terminal: true, historySize: 0 });
  const early: string[] = [];
  let asked: PromiseWithResolvers<string> | undefined;

  // Lines that arrive together are handled at once, so the screen is hidden before the second one.
  lines.on('line', (line) => {
    screen.hide();
    if (asked === undefined) early.push(line);
    else asked.resolve(line);
    asked = undefined;
  });
  lines.on('SIGINT', () => {
    if (asked === undefined) process.kill(process.pid, 'SIGINT');
    else lines.close();
  });
  lines.on('close', () => asked?.reject(new CommandError('nothing was changed')));

  const answer = (show: () => void): Promise<string> => {
    const line = early.shift();
    if (line !== undefined) return Promise.resolve(line);
    asked = Promise.withResolvers<string>();
    show();
    return asked.promise;
  };
  return {
    ask: (question) =>
      answer(() => {
        screen.show();
        lines.setPrompt(question);
        lines.prompt(true);
      }),
    askSecret: async (question) => {
      process.stderr.write(question);
      const line = await answer(() => {});
      process.stderr.write('\n');
      return line;
    },
    close: () => lines.close(),
  };
}

/** The output of readline, which echoes the line while it is edited. */
function openScreen() {
  let isShown = false;
  const output = new Writable({
    write: (chunk, _encoding, done) => {
      if (isShown) process.stderr.write(chunk);
      done();
    },
  });
  return { output, show: () => void (isShown = true), hide: () => void (isShown = false) };
}

export type ConfirmOptions = { yes?: true };

/** Asks unless --yes is given, and refuses where it cannot. `describe` says what the command is about to delete. */
export async function confirm({ yes }: ConfirmOptions, describe: () => Promise<string>): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY)
    throw wrongUsage('nothing was changed: this command asks for confirmation; without a terminal, pass --yes');
  const question = await describe();
  const prompt = openPrompt();
  const answer = await prompt.ask(`${printable(question)}\nContinue? [y/N] `).finally(() => prompt.close());
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError('nothing was changed');
}

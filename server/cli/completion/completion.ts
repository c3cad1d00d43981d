// completion: prints the completion script for a shell, generated from the whole tree of commands.
import { type Argument, Command, type Option } from 'commander';
import { flagOf, KEYS, type Key } from '../../config/keys.ts';
import { addCommands, defaultVerbOf } from '../commands.ts';
import { say } from '../output.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import type { Branch, Flag, Takes } from './tree.ts';
import { zshScript } from './zsh.ts';

const SHELLS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

export async function completion(shell: keyof typeof SHELLS): Promise<void> {
  const program = new Command();
  addCommands(program);
  say(SHELLS[shell](program.commands.map(branchOf)));
}

function branchOf(command: Command): Branch {
  return {
    name: command.name(),
    about: command.description(),
    flags: [...command.options.map(flagIn), HELP],
    parameters: command.registeredArguments.map(parameterIn),
    commands: command.commands.map(branchOf),
    usual: defaultVerbOf(command.name())?.name,
  };
}

const HELP: Flag = { names: ['-h', '--help'], about: 'display help for command', takes: 'nothing' };

function flagIn({ short, long, description, required, flags, argChoices }: Option): Flag {
  const [, placeholder = ''] = /<(.+)>/.exec(flags) ?? [];
  const names = [short, long].filter((name) => name !== undefined);
  return {
    names,
    about: description,
    takes: required ? (argChoices ?? wordsOfKey(long) ?? kindOf(placeholder)) : 'nothing',
  };
}

function wordsOfKey(long: string | undefined): readonly string[] | undefined {
  const [, key] = Object.entries<Key>(KEYS).find(([name]) => flagOf(name) === long) ?? [];
  return key?.read.words;
}

function parameterIn(parameter: Argument): Takes {
  return parameter.argChoices ?? kindOf(parameter.name());
}

const KINDS: Readonly<Record<string, Takes>> = {
  file: 'file',
  directory: 'directory',
  command: 'command',
  context: 'context',
  hub: 'context', // or an address
};

function kindOf(placeholder: string): Takes {
  return KINDS[placeholder] ?? 'text';
}

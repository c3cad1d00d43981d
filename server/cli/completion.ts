// completion: the script with which a shell completes this command line, made from commander's own tree.
import type { Command, Option } from 'commander';
import { wrongUsage } from './exit-codes.ts';
import { say } from './output.ts';

export async function completion(shell: string, _options: object, own: Command): Promise<void> {
  const write = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
  if (write === undefined) throw wrongUsage(`there is no completion for ${shell}; there is for ${Object.keys(SHELLS).join(', ')}`);
  const words = treeOf(own.parent ?? own);
  say(write(words));
}

type Flag = { names: string[]; about: string; takesValue: boolean; choices: readonly string[] };
type Branch = { name: string; about: string; flags: Flag[] };

function treeOf(program: Command): Branch[] {
  return program.commands.map((command) => ({ name: command.name(), about: command.description(), flags: [...command.options.map(flagOf), HELP] }));
}

const HELP: Flag = { names: ['-h', '--help'], about: 'display help for command', takesValue: false, choices: [] };

function flagOf({ short, long, description, required, argChoices }: Option): Flag {
  return { names: [short, long].filter((name) => name !== undefined), about: description, takesValue: required, choices: argChoices ?? [] };
}

const SHELLS: Readonly<Record<string, (tree: Branch[]) => string>> = {
  bash: (tree) => `
_agenthub() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} words=
  case "\${COMP_WORDS[1]} $previous" in
${tree.flatMap(({ name, flags }) => flags.filter(hasChoices).map((flag) => `    ${alternatives(name, flag)}) COMPREPLY=($(compgen -W '${flag.choices.join(' ')}' -- "$current")); return ;;`)).join('\n')}
  esac
  if ((COMP_CWORD == 1)); then words='${tree.map(({ name }) => name).join(' ')}'
  else case "\${COMP_WORDS[1]}" in
${tree.map(({ name, flags }) => `    ${name}) words='${flags.flatMap(({ names }) => names).join(' ')}' ;;`).join('\n')}
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _agenthub agenthub`.trimStart(),

  zsh: (tree) => `
#compdef agenthub
_agenthub() {
  local -a commands=(
${tree.map(({ name, about }) => `    ${quoted(`${name}:${about}`)}`).join('\n')}
  )
  if ((CURRENT == 2)); then _describe command commands; return; fi
  local name=$words[2]
  shift words; ((CURRENT--))
  case $name in
${tree.map(({ name, flags }) => `    ${name}) _arguments -s ${flags.flatMap(zshFlag).join(' ')} '*:file:_files' ;;`).join('\n')}
  esac
}
compdef _agenthub agenthub`.trimStart(),

  fish: (tree) =>
    tree
      .flatMap(({ name, about, flags }) => [
        `complete -c agenthub -n __fish_use_subcommand -a ${name} -d ${quoted(about)}`,
        ...flags.map((flag) => `complete -c agenthub -n '__fish_seen_subcommand_from ${name}' ${fishFlag(flag)}`),
      ])
      .join('\n'),
};

function hasChoices({ choices }: Flag): boolean {
  return choices.length > 0;
}

function alternatives(command: string, { names }: Flag): string {
  return names.map((name) => `'${command} ${name}'`).join('|');
}

function zshFlag({ names, about, takesValue, choices }: Flag): string[] {
  const value = choices.length > 0 ? `:value:(${choices.join(' ')})` : takesValue ? ':value:' : '';
  return names.map((name) => quoted(`${name}[${about.replace(/[[\]:]/g, '\\$&')}]${value}`));
}

function fishFlag({ names, about, takesValue, choices }: Flag): string {
  const spelled = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const value = choices.length > 0 ? [`-x -a '${choices.join(' ')}'`] : takesValue ? ['-r'] : [];
  return [...spelled, ...value, `-d ${quoted(about)}`].join(' ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

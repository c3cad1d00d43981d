// completion: the script with which a shell completes this command line, made from commander's own tree.
import type { Command, Option } from 'commander';
import { say } from './output.ts';

export async function completion(shell: Shell, _options: object, own: Command): Promise<void> {
  say(SHELLS[shell](treeOf(own.parent ?? own)));
}

type Flag = { names: string[]; about: string; takesValue: boolean; choices: readonly string[] };
/** A command, called by one word or by two, and the words that may follow the first of a family. */
type Branch = { name: string; about: string; flags: Flag[]; commands: Branch[] };

function treeOf(program: Command): Branch[] {
  return program.commands.map(branchOf);
}

function branchOf(command: Command): Branch {
  return { name: command.name(), about: command.description(), flags: [...command.options.map(flagOf), HELP], commands: command.commands.map(branchOf) };
}

/** Every command that runs something, by all its words. */
function leavesOf(tree: readonly Branch[]): Branch[] {
  return tree.flatMap((branch) => (branch.commands.length === 0 ? branch : branch.commands.map((each) => ({ ...each, name: `${branch.name} ${each.name}` }))));
}

function familiesOf(tree: readonly Branch[]): Branch[] {
  return tree.filter(({ commands }) => commands.length > 0);
}

const HELP: Flag = { names: ['-h', '--help'], about: 'display help for command', takesValue: false, choices: [] };

function flagOf({ short, long, description, required, argChoices }: Option): Flag {
  return { names: [short, long].filter((name) => name !== undefined), about: description, takesValue: required, choices: argChoices ?? [] };
}

type Shell = 'bash' | 'zsh' | 'fish';

const SHELLS: Readonly<Record<Shell, (tree: Branch[]) => string>> = {
  bash: (tree) => `
_agenthub() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} command=\${COMP_WORDS[1]} words=
  case $command in ${familiesOf(tree).map(({ name }) => name).join('|')}) ((COMP_CWORD > 2)) && command+=" \${COMP_WORDS[2]}" ;; esac
  case "$command $previous" in
${leavesOf(tree).flatMap(({ name, flags }) => flags.filter(hasChoices).map((flag) => `    ${alternatives(name, flag)}) COMPREPLY=($(compgen -W '${flag.choices.join(' ')}' -- "$current")); return ;;`)).join('\n')}
  esac
  if ((COMP_CWORD == 1)); then words='${namesIn(tree)}'
  else case $command in
${familiesOf(tree).map(({ name, commands }) => `    ${name}) words='${namesIn(commands)}' ;;`).join('\n')}
${leavesOf(tree).map(({ name, flags }) => `    '${name}') words='${flags.flatMap(({ names }) => names).join(' ')}' ;;`).join('\n')}
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _agenthub agenthub`.trimStart(),

  zsh: (tree) => `
#compdef agenthub
_agenthub() {
  local -a commands=(
${described(tree)}
  )
  if ((CURRENT == 2)); then _describe command commands; return; fi
  local name=$words[2]
  shift words; ((CURRENT--))
  case $name in
${familiesOf(tree).map(({ name, commands }) => `    ${name})
      commands=(
${described(commands)}
      )
      if ((CURRENT == 2)); then _describe command commands; return; fi
      name+=" $words[2]"
      shift words; ((CURRENT--)) ;;`).join('\n')}
  esac
  case $name in
${leavesOf(tree).map(({ name, flags }) => `    '${name}') _arguments -s ${flags.flatMap(zshFlag).join(' ')} '*:file:_files' ;;`).join('\n')}
  esac
}
compdef _agenthub agenthub`.trimStart(),

  fish: (tree) =>
    tree
      .flatMap((branch) => [
        `complete -c agenthub -n __fish_use_subcommand -a ${branch.name} -d ${quoted(branch.about)}`,
        ...branch.commands.flatMap((each) => fishCommand(each, branch)),
        ...(branch.commands.length > 0 ? [] : branch.flags.map((flag) => `complete -c agenthub -n '__fish_seen_subcommand_from ${branch.name}' ${fishFlag(flag)}`)),
      ])
      .join('\n'),
};

function namesIn(branches: readonly Branch[]): string {
  return branches.map(({ name }) => name).join(' ');
}

function described(branches: readonly Branch[]): string {
  return branches.map(({ name, about }) => `    ${quoted(`${name}:${about}`)}`).join('\n');
}

/** A command of a family: its own word after that of the family, and then its flags. */
function fishCommand({ name, about, flags }: Branch, { name: family, commands }: Branch): string[] {
  const isOpen = `__fish_seen_subcommand_from ${family}; and not __fish_seen_subcommand_from ${namesIn(commands)}`;
  const isChosen = `__fish_seen_subcommand_from ${family}; and __fish_seen_subcommand_from ${name}`;
  return [
    `complete -c agenthub -n '${isOpen}' -a ${name} -d ${quoted(about)}`,
    ...flags.map((flag) => `complete -c agenthub -n '${isChosen}' ${fishFlag(flag)}`),
  ];
}

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

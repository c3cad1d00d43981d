// Generates the completion script for zsh: a file for its function path, or to be sourced after compinit.
import { type Branch, DEFAULT_COMMAND, type Flag, familiesOf, leavesOf, quoted, type Takes } from './tree.ts';

export function zshScript(tree: Branch[]): string {
  return `
#compdef agenthub
_agenthub_contexts() {
  local -a names=(\${(f)"$(\${~agenthub} context list --names 2> /dev/null)"})
  compadd "$@" -a names
}
_agenthub() {
  local agenthub=$words[1]
  local -a commands=(
${described(tree)}
    'help:display help for command'
  )
  local name=$words[2]
  if [[ $name == -* ]]; then
    name=${DEFAULT_COMMAND}
  else
    if ((CURRENT == 2)); then _describe -t commands command commands; return; fi
    shift words; ((CURRENT--))
  fi
  case $name in
    help) ((CURRENT == 2)) && _describe -t commands command commands; return ;;
${familiesOf(tree).map(familyCase).join('\n')}
  esac
  case $name in
${leavesOf(tree)
  .map(
    ({ name, flags, parameters }) =>
      `    '${name}') _arguments -s ${[...flags.flatMap(flagSpecs), ...parameters.map(parameterSpec)].join(' ')} ;;`,
  )
  .join('\n')}
  esac
}
# When autoloaded from the function path, the first call runs this file as the function itself.
if [[ $funcstack[1] == _agenthub ]]; then _agenthub "$@"; else compdef _agenthub agenthub; fi`.trimStart();
}

function familyCase({ name, commands, usual }: Branch): string {
  const verbs = commands.map((each) => each.name).join('|');
  const named = 'name+=" $words[2]"; shift words; ((CURRENT--))';
  return `    ${name})
      commands=(
${described(commands)}
      )
      if ((CURRENT == 2))${usual === undefined ? '' : ' && [[ $words[2] != -* ]]'}; then _describe -t commands command commands; return; fi
      ${usual === undefined ? named : `case $words[2] in ${verbs}) ${named} ;; *) name+=' ${usual}' ;; esac`} ;;`;
}

function described(branches: readonly Branch[]): string {
  return branches.map(({ name, about }) => `    ${quoted(`${name}:${about}`)}`).join('\n');
}

// The short and the long name of a flag exclude each other.
function flagSpecs({ names, about, takes }: Flag): string[] {
  const others = names.length > 1 ? `(${names.join(' ')})` : '';
  const value = takes === 'nothing' ? '' : `:value:${actionFor(takes)}`;
  return names.map((name) =>
    quoted(`${others}${name}${value !== '' && name.startsWith('--') ? '=' : ''}[${escaped(about)}]${value}`),
  );
}

function parameterSpec(takes: Takes): string {
  return quoted(takes === 'command' ? '*::command:_normal' : `:value:${actionFor(takes)}`);
}

const ACTIONS: Readonly<Record<string, string>> = {
  file: '_files',
  directory: '_files -/',
  context: '_agenthub_contexts',
};

function actionFor(takes: Takes): string {
  return typeof takes === 'string' ? (ACTIONS[takes] ?? ' ') : `(${takes.join(' ')})`;
}

function escaped(about: string): string {
  return about.replace(/[[\]:\\]/g, '\\$&');
}

// Generates the completion script for bash. It does not depend on bash-completion. Without a match, bash offers files.
import { type Branch, DEFAULT_COMMAND, type Flag, familiesOf, leavesOf, namesIn, type Takes } from './tree.ts';

export function bashScript(tree: Branch[]): string {
  return `
_agenthub() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} command=\${COMP_WORDS[1]} first=2 words=
  COMPREPLY=()
  # bash splits --flag=value into three words
  if [[ $current == = ]]; then current=; elif [[ $previous == = ]]; then previous=\${COMP_WORDS[COMP_CWORD - 2]}; fi
  if ((COMP_CWORD == 1)) && [[ $current != -* ]]; then
    COMPREPLY=($(compgen -W '${namesIn(tree)} help' -- "$current"))
    return
  fi
  case $command in
    -*) command=${DEFAULT_COMMAND} first=1 ;;
    help) ((COMP_CWORD == 2)) && COMPREPLY=($(compgen -W '${namesIn(tree)}' -- "$current")); return ;;
${familiesOf(tree).map(familyCase).join('\n')}
  esac
  case "$command $previous" in
${leavesOf(tree)
  .flatMap(({ name, flags }) =>
    flags
      .filter(({ takes }) => takes !== 'nothing')
      .map((flag) => `    ${alternatives(name, flag)}) ${replyFor(flag.takes)} return ;;`),
  )
  .join('\n')}
  esac
  case "$command $((COMP_CWORD - first))" in
${leavesOf(tree)
  .flatMap(({ name, parameters }) => parameters.flatMap((takes, index) => parameterCase(`${name} ${index}`, takes)))
  .join('\n')}
  esac
  case $command in
${leavesOf(tree)
  .map(({ name, flags }) => `    '${name}') words+=' ${flags.flatMap(({ names }) => names).join(' ')}' ;;`)
  .join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _agenthub agenthub`.trimStart();
}

function familyCase({ name, commands, usual }: Branch): string {
  const isFirst = usual === undefined ? '((COMP_CWORD == 2))' : '((COMP_CWORD == 2)) && [[ $current != -* ]]';
  const offer = `if ${isFirst}; then COMPREPLY=($(compgen -W '${namesIn(commands)}' -- "$current")); return; fi;`;
  const named = 'command+=" ${COMP_WORDS[2]}" first=3';
  if (usual === undefined) return `    ${name}) ${offer} ${named} ;;`;
  const verbs = commands.map((each) => each.name).join('|');
  return `    ${name}) ${offer} case \${COMP_WORDS[2]} in ${verbs}) ${named} ;; *) command+=' ${usual}' ;; esac ;;`;
}

function isList(takes: Takes): takes is readonly string[] {
  return Array.isArray(takes);
}

function parameterCase(place: string, takes: Takes): string[] {
  if (isList(takes)) return [`    '${place}') words='${takes.join(' ')}' ;;`];
  return takes === 'file' ? [`    '${place}') [[ $current == -* ]] || return ;;`] : [];
}

function replyFor(takes: Takes): string {
  if (isList(takes)) return `COMPREPLY=($(compgen -W '${takes.join(' ')}' -- "$current"));`;
  return takes === 'directory'
    ? 'compopt -o filenames 2> /dev/null; local IFS=$\'\\n\'; COMPREPLY=($(compgen -d -- "$current"));'
    : '';
}

function alternatives(command: string, { names }: Flag): string {
  return names.map((name) => `'${command} ${name}'`).join('|');
}

// Generates the completion script for bash. It does not depend on bash-completion. Without a match, bash offers files.
import { type Branch, DEFAULT_COMMAND, type Flag, familiesOf, leavesOf, namesIn, type Takes } from './tree.ts';

export function bashScript(tree: Branch[]): string {
  return `
# Completes a word with the names of contexts. The shell replaces only what follows its last colon.
_agenthub_contexts() {
  local names
  names=$("\${COMP_WORDS[0]/#~/$HOME}" context list --names 2> /dev/null)
  COMPREPLY=($(compgen -W "$names" -- "$1"))
  COMPREPLY=("\${COMPREPLY[@]#"\${1%"\${1##*:}"}"}")
}
_agenthub() {
  local -a typed=()
  local word last=-1
  # bash splits words at colons, as in the name of a context
  for word in "\${COMP_WORDS[@]:0:COMP_CWORD + 1}"; do
    if ((last >= 0)) && [[ $word == :* || \${typed[last]} == *: ]]; then typed[last]+=$word; else typed[++last]=$word; fi
  done
  local current=\${typed[last]} previous=\${typed[last - 1]} command=\${typed[1]} first=2 words=
  COMPREPLY=()
  # bash splits --flag=value into three words
  if [[ $current == = ]]; then current=; elif [[ $previous == = ]]; then previous=\${typed[last - 2]}; fi
  if ((last == 1)) && [[ $current != -* ]]; then
    COMPREPLY=($(compgen -W '${namesIn(tree)} help' -- "$current"))
    return
  fi
  case $command in
    -*) command=${DEFAULT_COMMAND} first=1 ;;
    help) ((last == 2)) && COMPREPLY=($(compgen -W '${namesIn(tree)}' -- "$current")); return ;;
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
  case "$command $((last - first))" in
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
  const isFirst = usual === undefined ? '((last == 2))' : '((last == 2)) && [[ $current != -* ]]';
  const offer = `if ${isFirst}; then COMPREPLY=($(compgen -W '${namesIn(commands)}' -- "$current")); return; fi;`;
  const named = 'command+=" ${typed[2]}" first=3';
  if (usual === undefined) return `    ${name}) ${offer} ${named} ;;`;
  const verbs = commands.map((each) => each.name).join('|');
  return `    ${name}) ${offer} case \${typed[2]} in ${verbs}) ${named} ;; *) command+=' ${usual}' ;; esac ;;`;
}

function isList(takes: Takes): takes is readonly string[] {
  return Array.isArray(takes);
}

function parameterCase(place: string, takes: Takes): string[] {
  if (isList(takes)) return [`    '${place}') words='${takes.join(' ')}' ;;`];
  if (takes === 'context')
    return [`    '${place}') [[ $current == -* ]] || { _agenthub_contexts "$current"; return; } ;;`];
  return takes === 'file' ? [`    '${place}') [[ $current == -* ]] || return ;;`] : [];
}

function replyFor(takes: Takes): string {
  if (isList(takes)) return `COMPREPLY=($(compgen -W '${takes.join(' ')}' -- "$current"));`;
  if (takes === 'context') return '_agenthub_contexts "$current";';
  return takes === 'directory'
    ? 'compopt -o filenames 2> /dev/null; local IFS=$\'\\n\'; COMPREPLY=($(compgen -d -- "$current"));'
    : '';
}

function alternatives(command: string, { names }: Flag): string {
  return names.map((name) => `'${command} ${name}'`).join('|');
}

// Generates the completion script for fish.
import { type Branch, DEFAULT_COMMAND, type Flag, leavesOf, namesIn, quoted, type Takes } from './tree.ts';

export function fishScript(tree: Branch[]): string {
  return `
# Whether the line begins with these words, and whether the completed word has this many words before it.
function __agenthub_is
  set -l words (commandline -opc)
  test (count $words) -gt (count $argv); or return 1
  set -l first $words[2..(math 1 + (count $argv))]
  test "$first" = "$argv"
end
function __agenthub_at
  test (count (commandline -opc)) -eq (math $argv[1] + 1)
end
function __agenthub_default
  set -l words (commandline -opc)
  test (count $words) -eq 1; or string match -q -- '-*' $words[2]
end
# Whether the line begins with the first word, and its second is none of the others.
function __agenthub_usual
  set -l words (commandline -opc)
  test (count $words) -gt 1; and test $words[2] = $argv[1]; or return 1
  test (count $words) -eq 2; or not contains -- $words[3] $argv[2..-1]
end
function __agenthub_contexts
  set -l words (commandline -opc)
  set -l agenthub (string replace -r '^~' $HOME -- $words[1])
  $agenthub context list --names 2> /dev/null
end
complete -c agenthub -f
${tree.flatMap(linesOf).join('\n')}
complete -c agenthub -n '__agenthub_at 0' -a help -d 'display help for command'
complete -c agenthub -n '__agenthub_is help; and __agenthub_at 1' -a '${namesIn(tree)}'`.trimStart();
}

function linesOf(branch: Branch): string[] {
  return [
    `complete -c agenthub -n '__agenthub_at 0' -a ${branch.name} -d ${quoted(branch.about)}`,
    ...branch.commands.map(
      ({ name, about }) =>
        `complete -c agenthub -n '__agenthub_is ${branch.name}; and __agenthub_at 1' -a ${name} -d ${quoted(about)}`,
    ),
    ...leavesOf([branch]).flatMap((leaf) => leafLines(leaf, conditionOf(leaf, branch))),
  ];
}

/** The command is named, or the usual one of its family, of which no verb is named. */
function conditionOf({ name }: Branch, { name: first, commands, usual }: Branch): string {
  if (name === DEFAULT_COMMAND) return `__agenthub_is ${name}; or __agenthub_default`;
  if (usual === undefined || name !== `${first} ${usual}`) return `__agenthub_is ${name}`;
  return `__agenthub_is ${name}; or __agenthub_usual ${first} ${namesIn(commands)}`;
}

function leafLines({ name, flags, parameters }: Branch, condition: string): string[] {
  const words = name.split(' ').length;
  return [
    ...flags.map((flag) => `complete -c agenthub -n '${condition}' ${flagSpec(flag)}`),
    ...parameters.flatMap((takes, index) => {
      const offer = offerOf(takes);
      return offer === ''
        ? []
        : [`complete -c agenthub -n '${condition}; and __agenthub_at ${words + index}' ${offer}`];
    }),
  ];
}

function flagSpec({ names, about, takes }: Flag): string {
  const spelled = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const value = takes === 'nothing' ? [] : ['-r', offerOf(takes) || '-f'];
  return [...spelled, ...value, `-d ${quoted(about)}`].join(' ');
}

const OFFERS: Readonly<Record<string, string>> = {
  file: '-F',
  command: '-F',
  directory: "-f -a '(__fish_complete_directories)'",
  context: "-f -a '(__agenthub_contexts)'",
};

function offerOf(takes: Takes): string {
  return typeof takes === 'string' ? (OFFERS[takes] ?? '') : `-f -a '${takes.join(' ')}'`;
}

// Runs real shells with a completion script loaded as users load it, and returns the completions for a line with the
// cursor at its end.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../support/process/command-line.ts';
import { temporaryDirectory } from '../../support/process/running-hub.ts';

export type Shell = 'bash' | 'zsh' | 'fish';

export function hasShell(shell: Shell): boolean {
  return spawnSync(shell, ['-c', 'true']).status === 0;
}

/**
 * Returns the sorted completions for each line. Omits options unless the word starts with a dash. `env` is added to the
 * environment of the shell.
 */
export function offeredBy(shell: Shell, script: string, lines: readonly string[], env: Environment): string[][] {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, '_agenthub'), script);
  writeFileSync(join(directory, 'driver'), DRIVERS[shell]);
  const folder = join(directory, 'place');
  mkdirSync(join(folder, 'a place'), { recursive: true });
  writeFileSync(join(folder, 'a file.db'), '');
  const { stdout, stderr, status } = spawnSync(
    shell,
    [...BARE[shell], join(directory, 'driver'), directory, ...lines],
    { cwd: folder, encoding: 'utf8', timeout: 20_000, env: { ...process.env, ...env } },
  );
  if (status !== 0 || stderr !== '') throw new Error(`${shell} exited with ${status}:\n${stderr}\n${stdout}`);
  const offers = stdout.split('\x04').slice(0, -1);
  return lines.map((line, index) => wordsIn(offers[index] ?? '', / -\S*$/.test(line)));
}

function wordsIn(offer: string, isFlag: boolean): string[] {
  const words = offer
    .split('\x03')
    .map((word) =>
      word
        .replace(/\t.*/s, '')
        .trim()
        .replace(/^--[\w-]+=(?=.)/, ''),
    )
    .filter((word) => word !== '' && (isFlag || !word.startsWith('-')));
  return [...new Set(words)].sort();
}

const BARE: Readonly<Record<Shell, readonly string[]>> = {
  bash: ['--norc', '--noprofile'],
  zsh: ['-f'],
  fish: ['--no-config'],
};

// Each driver prints the completions for a line, with \x03 after each word and \x04 after the last.
const DRIVERS: Readonly<Record<Shell, string>> = {
  // Like readline, this also splits words at = and :, and offers files if there is no completion.
  bash: String.raw`
source "$1/_agenthub"; shift
for line in "$@"; do
  spaced=\${line//=/ = }; spaced=\${spaced//:/ : }
  read -ra COMP_WORDS <<< "$spaced"
  [[ $spaced == *' ' ]] && COMP_WORDS+=('')
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)) COMP_LINE=$line COMP_POINT=\${#line} COMPREPLY=()
  _agenthub agenthub "\${COMP_WORDS[COMP_CWORD]}" "\${COMP_WORDS[COMP_CWORD - 1]}"
  ((\${#COMPREPLY[@]})) || mapfile -t COMPREPLY < <(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")
  printf '%s\x03' "\${COMPREPLY[@]}"; printf '\x04'
done`.replaceAll('\\$', '$'),

  // An interactive zsh on a pseudo-terminal, where compadd prints its arguments.
  zsh: String.raw`
zmodload zsh/zpty
cat > $1/setup <<'END'
PROMPT= RPROMPT=
fpath=($SETUP $fpath)
autoload -Uz compinit; compinit -u -D
bindkey '^I' complete-word
compadd() {
  if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return $?; fi
  local -a hits
  builtin compadd -A hits "$@"
  (($#hits)) && print -rn -- $'\x02'"\${(pj:\x03:)hits}"$'\x03\x02'
  builtin compadd "$@"
}
print_end() { comppostfuncs=(print_end); print -rn -- $'\x04' }
comppostfuncs=(print_end)
print -rn -- RE''ADY
END
zpty shell zsh -f -i
zpty -w shell "SETUP=$1; source $1/setup"
zpty -r shell out '*READY'
shift
for line in "$@"; do
  zpty -n -w shell "$line"$'\t'
  zpty -r shell out $'*\x04'
  parts=("\${(@ps:\x02:)out}")
  for ((i = 2; i <= $#parts; i += 2)); do print -rn -- "$parts[i]"; done
  print -rn -- $'\x04'
  zpty -n -w shell $'\x15'
done
zpty -d shell`.replaceAll('\\$', '$'),

  fish: String.raw`
source $argv[1]/_agenthub
for line in $argv[2..-1]
  for word in (complete -C $line)
    printf '%s\x03' $word
  end
  printf '\x04'
end`,
};

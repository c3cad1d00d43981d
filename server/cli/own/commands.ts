// The table of commands about the program itself. They need neither a hub nor its data.
import { type CommandRow, OUTPUT, option } from '../command.ts';
import { file } from '../readers.ts';

export const OWN_COMMANDS: readonly CommandRow[] = [
  {
    name: 'version',
    about: 'print the version and the platform, or compare with another executable',
    options: [
      option(
        '--check <file>',
        'run this agenthub executable, say whether it is newer, and whether the schema differs',
        file,
      ),
      OUTPUT,
    ],
    examples: ['agenthub version', 'agenthub version -o json', 'agenthub version --check ./agenthub'],
    load: async () => (await import('./version.ts')).version,
  },
  {
    name: 'licenses',
    about: 'list the third-party packages in this executable with their licenses',
    options: [option('--full', 'include the license texts'), OUTPUT],
    notes: 'The JSON output is an SPDX 2.3 document.',
    examples: [
      'agenthub licenses',
      'agenthub licenses --full | less',
      'agenthub licenses -o json > agenthub.spdx.json',
    ],
    load: async () => (await import('./licenses.ts')).licenses,
  },
  {
    name: 'completion',
    parameters: '<shell>',
    takes: { shell: ['bash', 'zsh', 'fish'] },
    about: 'print the completion script for bash, zsh or fish',
    examples: [
      'source <(agenthub completion bash)   # in ~/.bashrc',
      'agenthub completion zsh > "${fpath[1]}/_agenthub"',
      'agenthub completion fish > ~/.config/fish/completions/agenthub.fish',
    ],
    load: async () => (await import('../completion/completion.ts')).completion,
  },
  {
    name: 'man',
    about: 'print the manual page, for man',
    examples: ['agenthub man | man -l -', 'agenthub man > /usr/local/share/man/man1/agenthub.1'],
    load: async () => (await import('./man.ts')).man,
  },
];

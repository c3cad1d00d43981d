// Says to a person whether and how an idle session is woken. `line` is the command that it takes, from `wakeLine`.
import type { Wake } from './setup.ts';

export const WAKE_SENTENCES: Readonly<Record<Wake['by'], (line: string) => string>> = {
  hooks: () => 'New mail wakes an idle session in a terminal, at the latest once it has had a prompt.',
  shell: () =>
    'New mail wakes an idle session through a background shell, which the agent starts when a hook tells it the command.',
  worker: (line) => `An idle session cannot be woken. To start one for each task, run: ${line}`,
  turn: () => 'An idle session cannot be woken. The agent learns about new mail in its next turn.',
  inbox: () => 'An idle session cannot be woken. The agent learns about new mail when it calls get_inbox.',
};

// Texts of the list of everything that waits for a person.
import { count } from './count.ts';

export const needsYou = {
  title: 'Needs you',
  none: 'Nothing needs your attention.',
  act: {
    answer: 'Answer',
    retry: 'Retry',
    reassign: 'Reassign',
    cancel: 'Cancel',
    dismiss: 'Dismiss',
    read: 'Mark as read',
    dismissAll: 'Dismiss all',
    readAll: 'Mark all as read',
  },
  done: 'Done',
  answered: 'Answered',
  failures: (n: number) => count(n, 'failure', 'failures'),
  asked: (from: string) => `Task for you from ${from}.`,
  stuck: (time: string) => `No progress for ${time}`,
  failed: (alias: string) => `Failed on ${alias}.`,
  failedWith: (alias: string, result: string) => `Failed on ${alias}: ${result}`,
  expired: (alias: string) => `Expired before ${alias} settled it.`,
  expiring: (alias: string, time: string) => `Expires in ${time}. Sent to ${alias}.`,
  unfetched: (alias: string, time: string, left: string) =>
    `Waiting for ${time}; ${alias} has not fetched it yet. Expires in ${left}.`,
  dismissFailures: 'Dismiss all failures',
  showAll: (n: number) => `Show all ${n}`,
  more: (n: number) => `${n} more`,
  fresh: (n: number) => count(n, 'new item', 'new items'),
  keys: 'In “Needs you”',
};

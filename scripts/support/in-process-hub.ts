// A hub inside this process, without listener, sweeps or log. It contacts nobody.
import type { Hub } from '../../server/hub.ts';
import type { Passwords } from '../../server/native/passwords.ts';
import { type HubOptions, openHub } from '../../server/open-hub.ts';

type Needed = Pick<HubOptions, 'settings' | 'database'>;

/** An error that would end the process is thrown, unless `onFatal` takes it. */
export function openInProcessHub(options: Needed & Partial<HubOptions>): Promise<Hub> {
  return openHub({
    version: '0.0.0-test',
    setupToken: 'not needed here',
    passwords: PLAIN,
    log: SILENT,
    outgoing: NOWHERE,
    onFatal: (error) => {
      throw error;
    },
    ...options,
  });
}

/** Stores passwords as they are, since bcrypt would only cost time. */
const PLAIN: Passwords = {
  hash: async (password) => `plain:${password}`,
  verify: async (password, hash) => hash === `plain:${password}`,
  close: async () => {},
  load: () => ({ waiting: 0, hashed: 0 }),
};

/** Accepts every URL and every request, and sends nothing. */
const NOWHERE: Hub['outgoing'] = {
  post: async () => ({ status: 204, problem: null }),
  problemOf: async () => undefined,
  close: () => {},
  isClosed: () => false,
};

const SILENT: HubOptions['log'] = {
  isLevelEnabled: () => false,
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
};

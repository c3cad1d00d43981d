// What the files in a data directory are called.

export const DATABASE = 'agenthub.db';
export const LOCK = 'agenthub.lock';
/** Where commands reach the running hub. */
export const SOCKET = 'agenthub.sock';
/** The directory of the backups that the hub makes by itself. */
export const BACKUPS = 'backups';

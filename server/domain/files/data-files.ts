// The names of the files in a data directory.

export const DATABASE = 'agenthub.db';
/** Space that is kept for urgent writes. */
export const RESERVE = `${DATABASE}-reserve`;
export const LOCK = 'agenthub.lock';
/** Says that the data of the hub are in a PostgreSQL database, and in which. */
export const ON_POSTGRES = 'agenthub.postgres';
/** The socket on which commands reach the running hub. */
export const SOCKET = 'agenthub.sock';
/** The directory of scheduled backups. */
export const BACKUPS = 'backups';

// When a hub counts as running, by the clock of the database server.

/** A hub that has not announced itself for this long is gone. */
export const GONE_MS = 5_000;

export const SERVER_NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

export const IS_ALIVE = `seen_at >= ${SERVER_NOW} - ${GONE_MS}`;

// Says what a command waits for if the database server holds up its writes.
import { COMMAND, logWait, standbyWaitOn } from '../../store/engine/postgres/connection/waiting.ts';
import { note } from '../output.ts';

const say = (_: object, text: string): void => note(text);

/** Returns the result of `work`, which writes to the PostgreSQL database at this URL. */
export function notingWait<Result>(url: string, work: Promise<Result>): Promise<Result> {
  return logWait(work, () => standbyWaitOn(url).catch(() => undefined), { info: say, warn: say }, COMMAND);
}

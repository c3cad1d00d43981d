// The date that is written into build results. It is not the time of the build, so that builds of the same source are
// identical.
import { SECOND_MS } from '../server/domain/time/time.ts';

/** Whether this build is part of `npm run release`. */
export function isForRelease(): boolean {
  return process.env.SOURCE_DATE_EPOCH !== undefined;
}

/** The date in SOURCE_DATE_EPOCH, which `npm run release` sets to that of the commit; 1970 for other builds. */
export function sourceDate(): Date {
  return new Date(Number(process.env.SOURCE_DATE_EPOCH ?? 0) * SECOND_MS);
}

// Hubs learn of each other's requests a few milliseconds later. Requests that are sent one after the other do not wait
// for that.
import { ARE_SEVERAL } from '../../support/process/hubs.ts';

/** How many requests more than a limit several hubs may accept. */
export const LATE = ARE_SEVERAL ? 3 : 0;

/** The first answer that is refused, of those that may come late. */
export async function firstRefused<Answer>(
  ask: () => Promise<Answer>,
  isRefused: (answer: Answer) => boolean,
  late = LATE,
): Promise<Answer> {
  let answer = await ask();
  for (let more = 0; more < late && !isRefused(answer); more++) answer = await ask();
  return answer;
}

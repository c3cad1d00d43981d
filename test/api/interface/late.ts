// What hubs tell each other is known to the others a few milliseconds later, and requests in turn do not wait for it.
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

// Sends the same task or message to several agents, one copy to each. A failure does not stop the others.
import { errorText } from '../live/error-texts.ts';

/** Concurrent requests. A browser opens six connections per host, and the stream uses one. */
const AT_ONCE = 4;

/** Calls back after each success. Returns the failed recipients with the reasons. */
export async function sendEach<Sent>(
  aliases: readonly string[],
  send: (alias: string) => Promise<Sent>,
  onSent: (alias: string, sent: Sent) => void,
): Promise<ReadonlyMap<string, string>> {
  const left = [...aliases];
  const failed = new Map<string, string>();
  const work = async () => {
    for (let alias = left.shift(); alias !== undefined; alias = left.shift()) {
      const to = alias;
      await send(to).then(
        (sent) => onSent(to, sent),
        (error: unknown) => failed.set(to, errorText(error)),
      );
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return failed;
}

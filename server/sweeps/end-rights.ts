// Ends what is still open in the name of a token that is over.
import type { Hub } from '../hub.ts';
import * as tokens from '../store/tokens.ts';

export async function run(hub: Hub): Promise<{ tokens: number }> {
  let ended = 0;
  for (const tokenId of hub.revocations.listDue(hub.clock.now())) ended += (await endIfOver(hub, tokenId)) ? 1 : 0;
  return { tokens: ended };
}

// A user token lives on with every use, so its end may have moved since something was opened with it.
async function endIfOver(hub: Hub, tokenId: string): Promise<boolean> {
  const end = await hub.store.read((reader) => tokens.findEnd(reader, tokenId));
  const isOver = end <= hub.clock.now();
  if (isOver) hub.revocations.announce({ token_id: tokenId });
  else hub.revocations.moveEnd(tokenId, end);
  return isOver;
}

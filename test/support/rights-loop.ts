// One tenant that changes who may do what for as long as it is let: a token of its own, created and revoked again and
// again.
import { type Account, restClient } from './http/rest-client.ts';
import { textOf } from './json.ts';

/** The answer ends it, and says how many times it has changed rights. */
export function changeRightsInALoop(url: string, { userToken, networkId }: Account): () => Promise<number> {
  const leaving = new AbortController();
  const looping = loop(url, userToken, networkId, leaving.signal);
  return () => (leaving.abort(), looping);
}

async function loop(url: string, token: string, network_id: string, signal: AbortSignal): Promise<number> {
  const { post } = restClient(url, token);
  let changes = 0;
  while (!signal.aborted) {
    const { body } = await post('/api/tokens', { name: 'for a moment', network_id });
    await fetch(`${url}/api/tokens/${textOf(body, 'token_id')}`, {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${token}` },
    });
    changes++;
  }
  return changes;
}

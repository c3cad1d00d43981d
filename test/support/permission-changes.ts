// A tenant that changes its rights continuously: it creates and revokes one of its tokens.
import { type Account, restClient } from './http/rest-client.ts';
import { textOf } from './json.ts';

/** The returned function stops it and returns the number of changes. */
export function changeRightsInALoop(url: string, { userToken, networkId }: Account): () => Promise<number> {
  const leaving = new AbortController();
  const looping = loop(url, userToken, networkId, leaving.signal);
  return () => {
    leaving.abort();
    return looping;
  };
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

// Large JSON is compressed for clients that accept it.
import { expect, test } from 'vitest';
import { mcpClient } from '../support/http/mcp-client.ts';
import { sendRaw } from '../support/http/raw-request.ts';
import { restClient } from '../support/http/rest-client.ts';
import { hubOfAda } from '../support/process/registered-hub.ts';
import { story } from '../support/process/running-hub.ts';

story('compression', (target) => {
  test('a large list is compressed with gzip if the client accepts it, and is the same list', async () => {
    const { hub, userToken, networkToken } = await hubOfAda({ target });
    const agent = mcpClient(hub.url, networkToken);
    for (let number = 0; number < 20; number += 1)
      await agent.call('send_task', { alias: 'bob', task: `${number} ${'all the same '.repeat(20)}` });
    const get = (encoding: string) =>
      sendRaw(hub.url, {
        method: 'GET',
        path: '/api/tasks',
        headers: { Authorization: `Bearer ${userToken}`, 'Accept-Encoding': encoding },
      });
    const plain = await get('identity');
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.headers.vary).toContain('Accept-Encoding');
    const response = await fetch(`${hub.url}/api/tasks`, { headers: { Authorization: `Bearer ${userToken}` } });
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(Number(response.headers.get('content-length'))).toBeLessThan(Number(plain.headers['content-length']) / 5);
    expect(await response.json()).toEqual(plain.body);
  });

  test('a small response, and one for a client that refuses gzip, are sent as they are', async () => {
    const { hub, userToken } = await hubOfAda({ target });
    const { headers } = await restClient(hub.url, userToken).get('/api/tasks');
    expect(headers.get('content-encoding')).toBeNull();
    const refused = await sendRaw(hub.url, {
      method: 'GET',
      path: '/openapi.json',
      headers: { 'Accept-Encoding': 'gzip;q=0' },
    });
    expect(refused.headers['content-encoding']).toBeUndefined();
  });
});

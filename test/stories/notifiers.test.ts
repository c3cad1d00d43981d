// Notifiers of a hub as users run it: from an agent that needs input to a receiver that verifies the signature, through
// failures, a restart and a shutdown.
import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mcpClient } from '../support/http/mcp-client.ts';
import { restClient } from '../support/http/rest-client.ts';
import { listOf, objectOf, textOf } from '../support/json.ts';
import { hasOpenssl } from '../support/process/certificate.ts';
import { hubOfAda } from '../support/process/registered-hub.ts';
import { startHub, storyOnce, temporaryDirectory } from '../support/process/running-hub.ts';
import { readmeBlock } from '../support/readme.ts';
import { openReceiver, type Received } from '../support/receiver.ts';

const ANY_ADDRESS = ['--notifier-addresses', 'all'];
/** The backoff after the first failure is ten seconds. */
const AFTER_BACKOFF = { timeout: 25_000 };
/** The grace period for running requests is three seconds. */
const STOPPED_MS = 5_000;

storyOnce('notifiers', (target) => {
  test('an agent that needs input reaches a webhook with a signature, past a proxy of the environment', async () => {
    const [receiver, proxy] = [await openReceiver(), await openReceiver()];
    const { origin } = new URL(proxy.url);
    const env = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: origin, http_proxy: origin };
    const { hub, userToken, networkToken } = await hubOfAda({ target, args: ANY_ADDRESS, env });
    const { body } = await restClient(hub.url, userToken).post('/api/notifiers', webhook(receiver.url));
    await mcpClient(hub.url, networkToken).call('report_status', { resume_id: 'b', alias: 'bob', status: 'blocked' });
    await expect.poll(() => receiver.received).toHaveLength(1);
    const [request] = receiver.received;
    expect(isSigned(request, textOf(body, 'secret'))).toBe(true);
    expect(isSigned(request, 'whsec_b3RoZXI=')).toBe(false);
    expect(proxy.received).toEqual([]);
  });

  test('a receiver verifies the signature as documented, in Node and with openssl', async () => {
    const receiver = await openReceiver();
    const { hub, userToken } = await hubOfAda({ target, args: ANY_ADDRESS });
    const rest = restClient(hub.url, userToken);
    const { body } = await rest.post('/api/notifiers', webhook(receiver.url));
    const secret = textOf(body, 'secret');
    await rest.post(`/api/notifiers/${textOf(objectOf(body, 'notifier'), 'notifier_id')}/test`);
    const [request] = receiver.received;
    const verdicts = [request, { ...request, body: '{}' }, { ...request, headers: {} }].map((given) =>
      verifiedByNode(secret, given),
    );
    expect(verdicts).toEqual(['true', 'false', 'false']);
    if (hasOpenssl) expect(`v1,${signedByOpenssl(secret, request)}`).toBe(request?.headers['webhook-signature']);
  });

  test('private addresses are refused unless they are allowed', async () => {
    const receiver = await openReceiver();
    const { hub, userToken } = await hubOfAda({ target });
    const { status, body } = await restClient(hub.url, userToken).post('/api/notifiers', webhook(receiver.url));
    expect([status, body['error']]).toEqual([400, 'private_address']);
    expect(receiver.received).toEqual([]);
  });

  test('a hub that stops while receivers hang exits in time, and sends again after its next start', async () => {
    const receiver = await openReceiver();
    receiver.answerWith('never');
    const { hub, userToken, networkToken } = await hubOfAda({ target, args: ANY_ADDRESS });
    const rest = restClient(hub.url, userToken);
    const { notifier } = (await rest.post('/api/notifiers', webhook(receiver.url))).body;
    const testing = rest.post(`/api/notifiers/${textOf(objectOf({ notifier }, 'notifier'), 'notifier_id')}/test`);
    testing.catch(() => {}); // its connection is cut
    await mcpClient(hub.url, networkToken).call('report_status', { resume_id: 'b', alias: 'bob', status: 'error' });
    await expect.poll(() => receiver.received).toHaveLength(2);
    const started = performance.now();
    expect(await hub.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(performance.now() - started).toBeLessThan(STOPPED_MS);
    expect(hub.output()).not.toContain('"level":"error"');

    receiver.answerWith(204);
    await startHub({ target, data: hub.data, args: ANY_ADDRESS });
    await expect.poll(() => receiver.received).toHaveLength(3);
    const needs = receiver.received.filter(({ body }) => JSON.parse(body).type === 'need');
    expect(new Set(needs.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(needs).toHaveLength(2);
  });

  test('a failing receiver gets the notification again, and the log has both attempts', async () => {
    const receiver = await openReceiver();
    receiver.answerWith(500);
    const { hub, userToken, networkToken } = await hubOfAda({ target, args: ANY_ADDRESS });
    const rest = restClient(hub.url, userToken);
    const { body } = await rest.post('/api/notifiers', webhook(receiver.url));
    const log = `/api/notifiers/${textOf(objectOf(body, 'notifier'), 'notifier_id')}/deliveries`;
    const deliveries = async () => listOf((await rest.get(log)).body, 'deliveries');
    await mcpClient(hub.url, networkToken).call('report_status', { resume_id: 'b', alias: 'bob', status: 'error' });
    await expect.poll(deliveries).toMatchObject([{ status: 'pending', attempts: 1, error: 'status' }]);
    receiver.answerWith(200);
    await expect.poll(deliveries, AFTER_BACKOFF).toMatchObject([{ status: 'delivered', attempts: 2, error: null }]);
    expect(JSON.stringify(await deliveries())).not.toContain(textOf(body, 'secret'));
    expect(hub.output()).not.toContain(textOf(body, 'secret'));
    expect(hub.output()).not.toContain('/hook');
  });
});

const webhook = (url: string) => ({ format: 'webhook', url });

/** Runs the example of OPERATING.md. */
function verifiedByNode(secret: string, { headers = {}, body = '' }: Partial<Received> = {}): string {
  const file = join(temporaryDirectory(), 'verify.mjs');
  const call = `isGenuine(${JSON.stringify(secret)}, ${JSON.stringify(headers)}, ${JSON.stringify(body)})`;
  writeFileSync(file, `${readmeBlock('Verify a webhook', 'js')}\nconsole.log(${call});\n`);
  return execFileSync(process.execPath, [file], { encoding: 'utf8' }).trim();
}

function signedByOpenssl(secret: string, { headers = {}, body = '' }: Partial<Received> = {}): string {
  const cwd = temporaryDirectory();
  writeFileSync(join(cwd, 'body.json'), body);
  const { 'webhook-id': ID = '', 'webhook-timestamp': TIMESTAMP = '' } = headers;
  const env = { ...process.env, SECRET: secret, ID: `${ID}`, TIMESTAMP: `${TIMESTAMP}` };
  return execFileSync('sh', ['-ec', readmeBlock('Verify a webhook', 'sh')], { cwd, env, encoding: 'utf8' });
}

function isSigned({ headers, body }: Received = { path: '', headers: {}, body: '' }, secret: string): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headers;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const digest = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return signature === `v1,${digest}`;
}

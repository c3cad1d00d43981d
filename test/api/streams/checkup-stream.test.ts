// The stream check of doctor: an announced code opens it once, within a minute. Any other code is not a valid token.
import { expect, test } from 'vitest';
import { beginCheckup } from '../../../server/operations/operator/begin-checkup.ts';
import { performAsOperator } from '../../../server/operations/operator/operator-operation.ts';
import { serveHub } from '../../support/served-hub.ts';

const visit = (url: string, code: string) =>
  fetch(`${url}/events/doctor`, { headers: { Authorization: `Bearer ${code}`, 'X-Forwarded-For': '192.0.2.77' } });

test('an announced visit reports once how the hub saw it', async () => {
  const { hub, url } = await serveHub();
  const { code } = await performAsOperator(beginCheckup, hub, {});
  const first = await visit(url, code);
  expect([first.status, first.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  const text = await first.text();
  expect(text).toMatch(/^event: seen\ndata: .*"address":"127\.0\.0\.1".*"forwarded_for":"192\.0\.2\.77"/);
  expect(text.match(/^event: beat$/gm)).toHaveLength(4);
  expect((await visit(url, code)).status).toBe(401);
});

test('an unknown or expired code is rejected', async () => {
  const { hub, url } = await serveHub();
  const { code } = await performAsOperator(beginCheckup, hub, {});
  hub.clock.advance(60_000);
  expect((await visit(url, code)).status).toBe(401);
  expect((await visit(url, 'check_000000000000000000000000')).status).toBe(401);
});

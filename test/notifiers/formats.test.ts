// The request of each format, and that texts of agents stay texts in it.
import { expect, test } from 'vitest';
import { MAX_NAME } from '../../server/domain/limits.ts';
import { listNotifiers } from '../../server/operations/notifiers/list-notifiers.ts';
import { updateNotifier } from '../../server/operations/notifiers/update-notifier.ts';
import { outcomeOf, report } from '../support/fixture.ts';
import { bodies, notify, openNotifierFixture, sweep } from '../support/notifier-fixture.ts';

const TASK = '<!channel> @everyone [click] (https://link.example) *bold';

async function sent(format: string) {
  const fixture = await openNotifierFixture({ public_url: 'https://hub.example.org' });
  await notify(fixture, { format });
  await report(fixture, 'bob', { status: 'blocked', task: TASK });
  await sweep(fixture);
  return { path: fixture.receiver.received[0]?.path, body: bodies(fixture)[0] };
}

test('ntfy: JSON to the URL without the topic', async () => {
  expect(await sent('ntfy')).toEqual({
    path: '/',
    body: {
      topic: 'hook',
      title: 'bob is blocked',
      message: TASK,
      click: 'https://hub.example.org/agents/bob',
      priority: 4,
    },
  });
});

test('slack: without mentions and links from texts', async () => {
  expect((await sent('slack')).body).toEqual({
    text: '*bob is blocked*\n&lt;!channel&gt; @\u200Beveryone [click] (https://link.example) *bold\n<https://hub.example.org/agents/bob|Open the console>',
    unfurl_links: false,
    unfurl_media: false,
  });
});

test('discord: without mentions and markup from texts', async () => {
  expect((await sent('discord')).body).toEqual({
    content:
      '**bob is blocked**\n\\<!channel\\> @everyone \\[click\\] \\(https://link.example\\) \\*bold\n<https://hub.example.org/agents/bob>',
    allowed_mentions: { parse: [] },
    flags: 4,
  });
});

test('teams: an adaptive card', async () => {
  expect((await sent('teams')).body).toMatchObject({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          type: 'AdaptiveCard',
          body: [{ text: 'bob is blocked' }, { text: expect.stringContaining('\\[click\\]') }],
          actions: [{ type: 'Action.OpenUrl', url: 'https://hub.example.org/agents/bob' }],
        },
      },
    ],
  });
});

test.each(['webhook', 'ntfy', 'slack', 'discord', 'teams'])('%s: no escape sequences or marks', async (format) => {
  const fixture = await openNotifierFixture({ public_url: 'https://hub.example.org' });
  await notify(fixture, { format });
  const output = 'tests\n\u001b[32m✓ \u001b[0m**41** [passed](https://link.example)\u001b]0;title\u0007\n\u001b[0m\n';
  await report(fixture, 'bob', { status: 'blocked', output });
  await sweep(fixture);
  const [body] = bodies(fixture);
  expect(JSON.stringify(body)).toContain('✓ 41 passed');
  expect(JSON.stringify(body)).not.toMatch(/\[3|\\u|title;|\*\*41|link\.example/);
});

/** What the receivers accept, in characters; they refuse a longer text. */
test.each([
  ['discord', 2_000],
  ['slack', 4_000],
  ['ntfy', 4_096],
  ['teams', 28_000],
])('%s: the longest texts fit', async (format, most) => {
  // One that is escaped in texts, and one that is escaped in the link.
  for (const character of ['*', '漢']) {
    const fixture = await openNotifierFixture({ public_url: 'https://hub.example.org' });
    await notify(fixture, { format });
    const alias = character.repeat(MAX_NAME);
    await report(fixture, alias, { resume_id: 'r1', status: 'blocked', output: '<'.repeat(3_000) });
    await sweep(fixture);
    expect(fixture.receiver.received).toHaveLength(1);
    const [body] = bodies(fixture);
    const longest = format === 'discord' ? body?.['content'] : JSON.stringify(body);
    expect(String(longest).length).toBeLessThan(most);
  }
});

test('only a webhook has a secret, and a list shows neither it nor the URL', async () => {
  const fixture = await openNotifierFixture();
  const { secret } = await notify(fixture);
  expect(secret).toMatch(/^whsec_/);
  expect((await notify(fixture, { format: 'slack' })).secret).toBe('');
  const listed = JSON.stringify(await fixture.user.ask(listNotifiers, {}));
  expect(listed).not.toContain(secret);
  expect(listed).not.toContain('/hook');
  expect(listed).toContain(new URL(fixture.receiver.url).host);
});

test('an ntfy URL ends with a topic, below any path, and its query stays', async () => {
  const fixture = await openNotifierFixture();
  const { origin } = new URL(fixture.receiver.url);
  for (const path of ['', '/', '/%E0%A4%A', '/a.b', '/a b', `/${'x'.repeat(65)}`])
    await expect(notify(fixture, { format: 'ntfy', url: origin + path })).rejects.toThrow(/^url must end with a topic/);
  await notify(fixture, { format: 'ntfy', url: `${origin}/push/my-topic_1/?auth=QmVhcmVy` });
  await report(fixture, 'bob', { status: 'blocked' });
  await sweep(fixture);
  expect(fixture.receiver.received).toMatchObject([{ path: '/push/?auth=QmVhcmVy' }]);
  expect(bodies(fixture)).toMatchObject([{ topic: 'my-topic_1' }]);
});

test('quiet hours need both ends', async () => {
  const fixture = await openNotifierFixture();
  const { notifier_id } = await notify(fixture, { quiet_from: '22:00', quiet_until: '07:00' });
  expect(await outcomeOf(notify(fixture, { quiet_from: '22:00' }))).toBe('invalid_request');
  const change = { notifier_id, quiet_from: 'none', quiet_until: 'none' };
  expect((await fixture.user.ask(updateNotifier, change)).notifier).toMatchObject({
    quiet_from: null,
    quiet_until: null,
  });
});

test('a user may have 20 notifiers', async () => {
  const fixture = await openNotifierFixture();
  for (let index = 0; index < 20; index++) await notify(fixture);
  expect(await outcomeOf(notify(fixture))).toBe('quota_exceeded');
});

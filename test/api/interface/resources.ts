// Conventions, resources with their fields, and states.
import { expect } from 'vitest';
import { PASSWORD } from '../../support/http/rest-client.ts';
import { listOf, objectOf, textOf } from '../../support/json.ts';
import type { Place } from './fixture.ts';
import type { Row } from './row-tests.ts';
import { expectShape } from './shape-test.ts';
import * as shapes from './shapes.ts';
import { SESSION_STATUS } from './shapes.ts';

export const RESOURCE_ROWS: readonly Row[] = [
  [
    'aliases are free Unicode strings',
    async (place) => {
      const alias = '林 😀/ü?&#%';
      await place.report(alias);
      await place.task({ alias });
      expect(listOf(await place.tool('get_inbox', { alias }), 'messages')).toHaveLength(1);
      const messages = await place.ask('GET', `/api/messages?alias=${encodeURIComponent(alias)}`);
      expect(listOf(messages.body, 'messages')).toMatchObject([{ alias }]);
    },
  ],
  [
    'timestamps are UTC, YYYY-MM-DD HH:MM:SS',
    async (place) => {
      const before = Math.floor(Date.now() / 1_000);
      await place.report('bob');
      const seen = Date.parse(`${textOf(await session(place), 'last_seen_at').replace(' ', 'T')}Z`) / 1_000;
      expect(seen).toBeGreaterThanOrEqual(before);
      expect(seen).toBeLessThanOrEqual(Date.now() / 1_000);
    },
  ],
  [
    'user: role of the first registered user is admin, of later ones not',
    async ({ fixture }) => {
      expect(
        objectOf((await fixture.ask('GET', '/api/auth/me', { token: fixture.admin.token })).body, 'user').role,
      ).toBe('admin');
      expect(
        objectOf((await fixture.ask('GET', '/api/auth/me', { token: fixture.owner.token })).body, 'user').role,
      ).toBe('user');
    },
  ],
  [
    'user: password is never returned',
    async ({ fixture }) => {
      const body = { username: 'secretive', password: PASSWORD, email: 's@example.org', display_name: 'S' };
      const registered = await fixture.ask('POST', '/api/auth/register', { body });
      expect(objectOf(registered.body, 'user')).toMatchObject({ username: 'secretive', display_name: 'S' });
      const users = await fixture.ask('GET', '/api/users?limit=500', { token: fixture.admin.token });
      expect(listOf(users.body, 'users')).toContainEqual(
        expect.objectContaining({ username: 'secretive', email: 's@example.org' }),
      );
      expect(JSON.stringify([registered.body, users.body])).not.toMatch(/password|correct horse|\$2[aby]\$/);
    },
  ],
  [
    'network: member_role is that of the requesting user',
    async (place) => {
      const { fixture, network_id } = place;
      await place.join(fixture.member, 'member');
      await place.join(fixture.viewer, 'viewer');
      const roleOf = async (token: string): Promise<unknown> =>
        listOf((await fixture.ask('GET', '/api/networks', { token })).body, 'networks').find(
          (network) => network.network_id === network_id,
        )?.member_role;
      expect(
        await Promise.all(
          [fixture.owner, fixture.member, fixture.viewer, fixture.outsider].map(({ token }) => roleOf(token)),
        ),
      ).toEqual(['owner', 'member', 'viewer', undefined]);
    },
  ],
  [
    'session: every attribute of report_status is stored',
    async (place) => {
      const attributes = {
        server: 's',
        hostname: 'h',
        project_dir: '/p',
        version: '1',
        tmux_name: 't',
        node_id: 'n',
        session_id: 'i',
        config_path: '/c',
        node_name: 'nn',
        agent: 'a',
        model: 'm',
        channels: '["x"]',
        task: 'w',
        output: 'o',
        score: 7.5,
        progress: 40,
      };
      await place.report('bob', attributes);
      expect(await session(place)).toMatchObject({ ...attributes, resume_id: 'bob-1', network_id: place.network_id });
    },
  ],
  [
    'session: task and progress are null before the first report',
    async (place) => {
      await place.report('bob');
      expect(await session(place)).toMatchObject({ task: null, progress: null });
    },
  ],
  [
    'session: of output, up to 50000 characters are accepted and 4000 stored',
    async (place) => {
      const output = `${'x'.repeat(46_000)}${'😀'.repeat(4_000)}`;
      await place.report('bob', { output });
      expect((await session(place)).output).toBe('😀'.repeat(4_000));
    },
  ],
  ...SESSION_STATUS.options.map(
    (status): Row => [
      `session: ${status} is shown as reported`,
      async (place) => {
        await place.report('bob', { status });
        expect((await session(place)).status).toBe(status);
      },
    ],
  ),
  [
    'task: from_name, to_name, priority, content and network_id are as sent',
    async (place) => {
      const task_id = await place.task({ priority: 'low', task: 'paint it' });
      expect(await place.tool('get_task', { task_id })).toMatchObject({
        task: {
          task_id,
          from_name: 'alice',
          to_name: 'bob',
          priority: 'low',
          status: 'delivered',
          content: 'paint it',
          result: null,
          network_id: place.network_id,
        },
      });
    },
  ],
  [
    'inbox message: type task, with context and sender',
    async (place) => {
      const id = await place.task({ context: 'in blue' });
      expect(listOf(await place.tool('get_inbox', { alias: 'bob' }), 'messages')).toMatchObject([
        {
          id,
          type: 'task',
          priority: 'normal',
          content: 'build it',
          context: 'in blue',
          from_session: 'alice',
          network_id: place.network_id,
        },
      ]);
    },
  ],
  [
    'completion: artifacts, score and duration_minutes are stored',
    async (place) => {
      const completion = {
        alias: 'bob',
        task: 'walls',
        result: 'white',
        artifacts: ['a.ts', 'https://example.org/b'],
        score: 0,
        duration_minutes: 1.5,
      };
      const { completion_id } = await place.tool('report_completion', completion);
      const { completions } = await place.tool('get_completions');
      expect(completions).toMatchObject([{ ...completion, id: completion_id }]);
    },
  ],
  [
    'task status values: each is counted, and the counts add up',
    async (place) => {
      await oneOfEach(place);
      const { body } = await place.ask('GET', '/api/stats');
      expect(body.tasks).toEqual({
        total: 5,
        replied: 1,
        running: 1,
        delivered: 1,
        failed: 1,
        cancelled: 1,
        expired: 0,
      });
      expectShape(shapes.TASK_COUNTS, body.tasks);
    },
  ],
];

async function session(place: Place) {
  return objectOf(await place.tool('get_session_status', { alias: 'bob' }), 'session');
}

async function oneOfEach(place: Place): Promise<void> {
  await place.task();
  await place.tool('send_ack', { task_id: await place.task(), from_session: 'bob' });
  for (const status of ['replied', 'failed', 'cancelled']) {
    await place.tool('send_reply', {
      alias: 'alice',
      text: 'so',
      in_reply_to: await place.task(),
      status,
      from_session: 'bob',
    });
  }
}

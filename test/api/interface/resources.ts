// Conventions, resources with their fields, and states.
import { expect } from 'vitest';
import { PASSWORD } from '../../support/http/rest-client.ts';
import { listOf, objectOf, textOf } from '../../support/json.ts';
import type { TestNetwork } from './fixture.ts';
import type { Row } from './row-tests.ts';
import { expectShape } from './shape-test.ts';
import * as shapes from './shapes.ts';
import { SESSION_STATUS } from './shapes.ts';

export const RESOURCE_ROWS: readonly Row[] = [
  [
    'aliases are free Unicode strings',
    async (network) => {
      const alias = '林 😀/ü?&#%';
      await network.report(alias);
      await network.task({ alias });
      expect(listOf(await network.tool('get_inbox', { alias }), 'messages')).toHaveLength(1);
      const messages = await network.ask('GET', `/api/messages?alias=${encodeURIComponent(alias)}`);
      expect(listOf(messages.body, 'messages')).toMatchObject([{ alias }]);
    },
  ],
  [
    'timestamps are UTC, YYYY-MM-DD HH:MM:SS',
    async (network) => {
      const before = Math.floor(Date.now() / 1_000);
      await network.report('bob');
      const seen = Date.parse(`${textOf(await session(network), 'last_seen_at').replace(' ', 'T')}Z`) / 1_000;
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
    async (network) => {
      const { fixture, network_id } = network;
      await network.join(fixture.member, 'member');
      await network.join(fixture.viewer, 'viewer');
      const roleOf = async (token: string, cursor = ''): Promise<unknown> => {
        const path = `/api/networks${cursor === '' ? '' : `?cursor=${encodeURIComponent(cursor)}`}`;
        const { body } = await fixture.ask('GET', path, { token });
        const found = listOf(body, 'networks').find((each) => each.network_id === network_id);
        const { next_cursor: next } = objectOf({ body }, 'body');
        return found === undefined && typeof next === 'string' ? roleOf(token, next) : found?.member_role;
      };
      expect(
        await Promise.all(
          [fixture.owner, fixture.member, fixture.viewer, fixture.outsider].map(({ token }) => roleOf(token)),
        ),
      ).toEqual(['owner', 'member', 'viewer', undefined]);
    },
  ],
  [
    'session: every attribute of report_status is stored',
    async (network) => {
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
      await network.report('bob', attributes);
      expect(await session(network)).toMatchObject({
        ...attributes,
        resume_id: 'bob-1',
        network_id: network.network_id,
      });
    },
  ],
  [
    'session: task and progress are null before the first report',
    async (network) => {
      await network.report('bob');
      expect(await session(network)).toMatchObject({ task: null, progress: null });
    },
  ],
  [
    'session: of output, up to 50000 characters are accepted and 4000 stored',
    async (network) => {
      const output = `${'x'.repeat(46_000)}${'😀'.repeat(4_000)}`;
      await network.report('bob', { output });
      expect((await session(network)).output).toBe('😀'.repeat(4_000));
    },
  ],
  ...SESSION_STATUS.options.map(
    (status): Row => [
      `session: ${status} is shown as reported`,
      async (network) => {
        await network.report('bob', { status });
        expect((await session(network)).status).toBe(status);
      },
    ],
  ),
  [
    'task: from_name, to_name, priority, content and network_id are as sent',
    async (network) => {
      const task_id = await network.task({ priority: 'low', task: 'paint it' });
      expect(await network.tool('get_task', { task_id })).toMatchObject({
        task: {
          task_id,
          from_name: 'alice',
          to_name: 'bob',
          priority: 'low',
          status: 'delivered',
          content: 'paint it',
          result: null,
          network_id: network.network_id,
        },
      });
    },
  ],
  [
    'inbox message: type task, with context and sender',
    async (network) => {
      const id = await network.task({ context: 'in blue' });
      expect(listOf(await network.tool('get_inbox', { alias: 'bob' }), 'messages')).toMatchObject([
        {
          id,
          type: 'task',
          priority: 'normal',
          content: 'build it',
          context: 'in blue',
          from_session: 'alice',
          network_id: network.network_id,
        },
      ]);
    },
  ],
  [
    'completion: artifacts, score and duration_minutes are stored',
    async (network) => {
      const completion = {
        alias: 'bob',
        task: 'walls',
        result: 'white',
        artifacts: ['a.ts', 'https://example.org/b'],
        score: 0,
        duration_minutes: 1.5,
      };
      const { completion_id } = await network.tool('report_completion', completion);
      const { completions } = await network.tool('get_completions');
      expect(completions).toMatchObject([{ ...completion, id: completion_id }]);
    },
  ],
  [
    'task status values: each is counted, and the counts add up',
    async (network) => {
      await oneOfEach(network);
      const { body } = await network.ask('GET', '/api/stats');
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

async function session(network: TestNetwork) {
  return objectOf(await network.tool('get_session_status', { alias: 'bob' }), 'session');
}

async function oneOfEach(network: TestNetwork): Promise<void> {
  await network.task();
  await network.tool('send_ack', { task_id: await network.task(), from_session: 'bob' });
  for (const status of ['replied', 'failed', 'cancelled']) {
    await network.tool('send_reply', {
      alias: 'alice',
      text: 'so',
      in_reply_to: await network.task(),
      status,
      from_session: 'bob',
    });
  }
}

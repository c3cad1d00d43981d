// Names and texts from agents, users and networks may try to control the terminal of their reader. No command prints
// such a character, and JSON still contains the exact text.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CLIENT_COMMANDS } from '../../server/cli/client/commands.ts';
import { rowsOf } from '../../server/cli/commands.ts';
import { OPERATOR_COMMANDS } from '../../server/cli/operator-commands.ts';
import { mcpClient } from '../support/http/mcp-client.ts';
import { portOf } from '../support/http/plain-proxy.ts';
import { PASSWORD, restClient } from '../support/http/rest-client.ts';
import { objectOf, textOf } from '../support/json.ts';
import { type AgentCli, cliFor, type Ended, newCli, run, start } from '../support/process/command-line.ts';
import { programOf } from '../support/process/hub-process.ts';
import { hubOfAda } from '../support/process/registered-hub.ts';
import { startHub, storyOnce, temporaryDirectory } from '../support/process/running-hub.ts';

const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u;
/**
 * Sets the title, clears the screen (also with a C1 character), hides text, reverses text, uses a color that commands
 * use themselves, and contains invisible characters.
 */
const HOSTILE =
  'evil\x1b]0;title\x07\x1b[2J\x1b[8m\x9b2J\x85\x7f\u202eexe\u2066\r\x1b[94mblue\u200e\u200f\u061c\u2028\u2029\ufeff\u{e0041}\u{e007f}line';
const ALIAS = `agent ${HOSTILE}`;

type Agent = ReturnType<typeof mcpClient>;
type Shown = { task: string; failed: string; token: string; network: string };
type Call = (shown: Shown) => readonly string[];
/** `isRaw`: prints the exact text, for a program. */
type Way = { call: Call; shows?: true; isRaw?: true; input?: string };

const namesOf = (tables: typeof CLIENT_COMMANDS): string[] =>
  Object.values(tables)
    .flat()
    .flatMap(rowsOf)
    .map(({ short, words }) => short ?? words);

const OPERATORS = namesOf(OPERATOR_COMMANDS);
const LEAVES = [...OPERATORS, ...namesOf(CLIENT_COMMANDS)];

/** In this order: commands that delete come last. */
const WAYS: Readonly<Record<string, readonly Way[]>> = {
  'config check': [{ call: () => [] }],
  'config print': [{ call: () => ['--trial-days', '3'] }],
  paths: [{ call: () => [] }],
  healthcheck: [{ call: () => ['--url', 'http://127.0.0.1:1'] }],
  doctor: [{ call: () => [] }],
  'systemd print': [{ call: () => [] }],
  'alerts print': [{ call: () => [] }],
  cluster: [{ call: () => [] }],
  'cluster drain': [{ call: () => [HOSTILE] }],
  'cluster resync': [{ call: () => [HOSTILE] }],
  version: [{ call: () => [] }],
  completion: [{ call: () => ['bash'] }, { call: () => ['zsh'] }, { call: () => ['fish'] }, { call: () => [HOSTILE] }],
  man: [{ call: () => [] }],
  'user list': [{ call: () => [] }],
  'user show': [{ call: () => ['ada'], shows: true }, { call: () => [HOSTILE] }],
  'user create': [{ call: () => ['eve', '--display-name', HOSTILE] }, { call: () => [HOSTILE] }],
  'user set-role': [{ call: () => ['eve', 'admin'] }, { call: () => [HOSTILE, 'admin'] }],
  'user disable': [{ call: () => ['eve'] }, { call: () => [HOSTILE] }],
  'user enable': [{ call: () => ['eve'] }, { call: () => [HOSTILE] }],
  'user reset-password': [{ call: () => ['eve'] }, { call: () => [HOSTILE] }],
  'token list': [{ call: () => [], shows: true }],
  'token show': [{ call: ({ token }) => [token], shows: true }, { call: () => [HOSTILE] }],
  'token create': [{ call: () => [HOSTILE, '--user', 'ada'] }, { call: () => ['x', '--user', HOSTILE] }],
  'network list': [{ call: () => [], shows: true }],
  'network show': [{ call: ({ network }) => [network], shows: true }, { call: () => [HOSTILE] }],
  'network members': [{ call: ({ network }) => [network] }, { call: () => [HOSTILE] }],
  'network invite': [{ call: ({ network }) => [network] }, { call: () => [`no ${HOSTILE}`] }],
  'network invites': [{ call: ({ network }) => [network] }, { call: () => [`no ${HOSTILE}`] }],
  'network withdraw-invite': [{ call: ({ network }) => [network, HOSTILE, '--yes'] }],
  'network set-role': [{ call: ({ network }) => [network, HOSTILE, 'viewer'] }, { call: () => ['x', 'y', HOSTILE] }],
  'network remove-member': [{ call: ({ network }) => [network, HOSTILE, '--yes'] }],
  'network create': [{ call: () => [`second ${HOSTILE}`, '--owner', 'ada'], shows: true }],
  'network rename': [
    { call: ({ network }) => [network, `${HOSTILE} renamed`] },
    { call: () => [`no ${HOSTILE}`, 'x'] },
  ],
  'network transfer': [{ call: ({ network }) => [network, 'ada'] }, { call: () => [HOSTILE, 'ada'] }],
  'agent list': [
    { call: () => ['--network', 'ada'], shows: true },
    { call: () => ['--network', HOSTILE, '--status', 'idle'] },
  ],
  'agent forget': [
    { call: () => [HOSTILE, '--network', 'ada', '--yes'] },
    { call: () => ['x', '--network', HOSTILE, '--yes'] },
  ],
  'audit log': [{ call: () => [] }, { call: () => ['--network', HOSTILE] }],
  'network license': [
    { call: ({ network }) => [network, '--until', 'never'] },
    { call: () => [HOSTILE, '--until', 'never'] },
  ],
  backup: [{ call: () => [] }],
  restore: [{ call: () => [`/nowhere/${HOSTILE}`] }],
  export: [{ call: () => ['-'], isRaw: true }],
  import: [{ call: () => [`/nowhere/${HOSTILE}`] }, { call: () => ['-'], input: `{"table":"${HOSTILE}"}\n` }],
  prune: [{ call: () => ['--dry-run'] }],
  whoami: [{ call: () => [] }],
  status: [{ call: () => [], shows: true }, { call: () => [ALIAS], shows: true }, { call: () => [HOSTILE] }],
  tasks: [
    { call: () => [], shows: true },
    { call: () => ['--text', HOSTILE], shows: true },
  ],
  task: [{ call: ({ task }) => [task], shows: true }, { call: () => [HOSTILE] }],
  inbox: [{ call: () => ['--alias', ALIAS], shows: true }, { call: () => ['--alias', ALIAS, '--ack', HOSTILE] }],
  wait: [{ call: () => ['--alias', ALIAS, '--timeout', '0'], shows: true }],
  send: [
    { call: () => [ALIAS, HOSTILE] },
    { call: () => ['nobody', `${HOSTILE} again`, '--wait=1'] },
    { call: () => ['x', 'y', '--priority', HOSTILE] },
    { call: () => ['x', 'y', '--ttl', HOSTILE] },
  ],
  message: [{ call: () => [ALIAS, HOSTILE] }],
  broadcast: [{ call: () => [HOSTILE] }],
  retry: [{ call: ({ failed }) => [failed] }, { call: () => [HOSTILE] }],
  reassign: [{ call: ({ task }) => [task, `other ${HOSTILE}`] }, { call: () => [HOSTILE, 'x'] }],
  cancel: [{ call: ({ failed }) => [failed, '--reason', HOSTILE] }, { call: () => [HOSTILE] }],
  reply: [{ call: ({ task }) => [task, HOSTILE] }, { call: () => [HOSTILE, 'x'] }],
  connect: [{ call: () => ['claude', '--alias', 'claude'] }, { call: () => [HOSTILE] }],
  hook: [
    {
      call: () => ['codex', '--alias', ALIAS],
      input: JSON.stringify({ hook_event_name: 'Stop', session_id: HOSTILE }),
    },
    { call: () => [HOSTILE, '--alias', 'x'] },
  ],
  licenses: [{ call: () => [] }],
  login: [{ call: () => ['--username', 'ada', '--password-stdin', '--network', HOSTILE], input: PASSWORD }],
  'context list': [{ call: () => [] }],
  'context use': [{ call: () => [HOSTILE] }],
  logout: [{ call: () => [HOSTILE] }, { call: () => ['none'] }, { call: () => [] }],
  'token rotate': [{ call: ({ token }) => [token, '--yes'] }, { call: () => [HOSTILE, '--yes'] }],
  'token revoke': [{ call: ({ token }) => [token, '--yes'] }, { call: () => [HOSTILE, '--yes'] }],
  'user delete': [{ call: () => ['eve', '--transfer-to', HOSTILE, '--yes'] }, { call: () => [HOSTILE, '--yes'] }],
  'network delete': [{ call: () => [HOSTILE, '--yes'] }, { call: () => [`second ${HOSTILE}`, '--yes'], shows: true }],
};

/** Commands that run until they are stopped. Separate tests cover them. */
const LONG_RUNNING = ['serve', 'wake', 'watch', 'work'];

test('every command is covered', () => {
  expect([...Object.keys(WAYS), ...LONG_RUNNING].toSorted()).toEqual(LEAVES.toSorted());
});

storyOnce('hostile text', (target) => {
  async function startFixture(): Promise<{ cli: AgentCli; agent: Agent; shown: Shown }> {
    const { hub, ...account } = await hubOfAda({ target });
    const agent = mcpClient(hub.url, account.networkToken);
    await agent.call('report_status', {
      resume_id: HOSTILE,
      alias: ALIAS,
      status: 'working',
      task: HOSTILE,
      agent: HOSTILE,
      model: HOSTILE,
      hostname: HOSTILE,
      project_dir: HOSTILE,
      output: `${HOSTILE}\n${HOSTILE}`,
    });
    const send = (more: object): Promise<string> =>
      agent
        .call('send_task', { alias: ALIAS, task: HOSTILE, from_session: `boss ${HOSTILE}`, ...more })
        .then((response) => textOf(response, 'task_id'));
    const task = await send({ context: HOSTILE, priority: 'high' });
    const failed = await send({ task: `${HOSTILE} two` });
    await agent.call('send_reply', {
      alias: 'boss',
      in_reply_to: failed,
      text: HOSTILE,
      status: 'failed',
      from_session: ALIAS,
    });
    const user = restClient(hub.url, account.userToken);
    const network = textOf(
      (await user.post('/api/networks', { name: HOSTILE, description: HOSTILE })).body,
      'network_id',
    );
    const token = textOf((await user.post('/api/tokens', { name: HOSTILE, network_id: network })).body, 'token_id');
    const cli = cliFor(hub, target, account);
    return {
      agent,
      cli: { ...cli, env: { ...cli.env, AGENTHUB_DATA: hub.data } },
      shown: { task, failed, token, network },
    };
  }

  const expectHarmless = ({ stdout, stderr }: Ended, what: string): void => {
    expect.soft(stderr, what).not.toMatch(CONTROLS);
    expect.soft(stdout, what).not.toMatch(CONTROLS);
  };

  test.each([
    ['an operator', true],
    ['a client', false],
  ])('never controls the terminal, in any command of %s, and is exact in JSON', async (_of, isOperators) => {
    const { cli, shown } = await startFixture();
    for (const [name, ways] of Object.entries(WAYS).filter(([each]) => OPERATORS.includes(each) === isOperators)) {
      for (const { call, shows, isRaw, input = '' } of ways) {
        const words = [...name.split(' '), ...call(shown)];
        if (shows && !name.startsWith('network ')) {
          const { stdout } = await run(cli, [...words, '-o', 'json'], { input });
          expect.soft(stdout, name).not.toMatch(CONTROLS);
          expect
            .soft(
              textsIn(JSON.parse(stdout)).some((text) => text.includes(HOSTILE)),
              name,
            )
            .toBe(true);
        }
        const ended = await run(cli, words, { input });
        if (isRaw !== true) expectHarmless(ended, words.join(' '));
        if (shows) expect.soft(ended.stdout, words.join(' ')).toMatch(/evil/);
      }
    }
  });

  test('is safe in watch and work', async () => {
    const {
      cli,
      shown: { task },
    } = await startFixture();
    const lines = start(cli, ['watch']);
    const json = start(cli, ['watch', '-o', 'json']);
    await expect
      .poll(
        async () => {
          await run(cli, ['message', ALIAS, HOSTILE]);
          return [lines.stdout().includes('evil'), json.stdout().includes('evil')];
        },
        { timeout: 20_000 },
      )
      .toEqual([true, true]);
    const worker = await run(cli, [
      'work',
      '--alias',
      ALIAS,
      '--take-over',
      '--once',
      '--',
      'sh',
      '-c',
      'cat; printf %s "$AGENTHUB_TASK_CONTEXT"',
    ]);
    expectHarmless(worker, 'work');
    for (const watching of [lines, json]) {
      watching.signal('SIGTERM');
      expectHarmless(await watching.ended, 'watch');
    }
    const { stdout } = await run(cli, ['task', task, '-o', 'json']);
    // A command is given the exact text, and its result is taken as it is.
    expect(textOf(objectOf(JSON.parse(stdout), 'task'), 'result')).toBe(HOSTILE + HOSTILE);
  });

  test('is exact in the output of send --wait in a pipe, because the result is for a program', async () => {
    const { cli } = await startFixture();
    const worker = start(cli, ['work', '--alias', 'echo', '--once', '--', 'cat']);
    await worker.printed('echo is waiting for tasks');
    expect((await run(cli, ['send', 'echo', HOSTILE, '--wait'])).stdout).toBe(`${HOSTILE}\n`);
  });

  test.each(['json', 'text'])('does not control the terminal through a log of format %s', async (format) => {
    const data = join(temporaryDirectory(), `data ${HOSTILE}`);
    const hub = await startHub({ target, data, args: ['--log-format', format, '--log-level', 'debug'] });
    expect(await hub.stop()).toBe(0);
    expect(hub.output()).toContain('data evil');
    expect(hub.output()).not.toMatch(CONTROLS);
  });

  test('from a server that is not a hub does not control the terminal', async () => {
    const reply = JSON.stringify({ result: { content: [{ text: `${HOSTILE} is not JSON` }] } });
    const server = createServer((_request, response) => void response.end(reply)).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const cli = newCli(target, {
      AGENTHUB_URL: `http://127.0.0.1:${portOf(server.address())}`,
      AGENTHUB_TOKEN: 'ntok_x',
    });
    const ended = await run(cli, ['inbox', '--alias', 'x']);
    expect(ended.code).not.toBe(0);
    expectHarmless(ended, 'inbox');
  });

  test('in an argument does not create a second line', async () => {
    const { cli } = await startFixture();
    const alias = `${ALIAS}\nmsg_1 sent to boss (idle)`;
    const json = await run(cli, ['send', 'boss', `${alias} 2`, '-o', 'json']);
    const task = textOf(JSON.parse(json.stdout), 'task_id');
    const calls = [
      ['send', alias, 'x'],
      ['message', alias, 'x'],
      ['inbox', '--alias', alias, '--ack', alias],
      ['wait', '--alias', `${alias} 2`, '--timeout', '0'],
      ['reassign', task, alias],
    ];
    for (const words of [...calls, ['inbox', '--alias', `${alias} 2`]]) {
      const ended = await run(cli, words);
      expectHarmless(ended, words.join(' '));
      expect.soft(ended.stdout, words.join(' ')).toMatch(/^(?:[^\n]+\n)?$/);
      expect.soft(ended.stderr, words.join(' ')).toMatch(/^(?:agenthub: [^\n]+\n)*$/);
    }
  });

  const hasScript = spawnSync('script', ['--version']).status === 0;
  test.skipIf(!hasScript)('does not control a real terminal', async () => {
    const {
      cli,
      shown: { task },
    } = await startFixture();
    const file = join(cli.home, 'commands');
    const [program, first] = programOf(target);
    const commands = [
      ['task', task],
      ['task', task, '-o', 'json'],
      ['tasks'],
      ['status'],
      ['network', 'list'],
      ['token', 'list', '-o', 'json'],
      ['doctor'],
    ];
    writeFileSync(file, commands.map((words) => [program, ...first, ...words].join(' ')).join('\n'));
    const { stdout } = spawnSync('script', ['-qec', `sh ${file}`, '/dev/null'], {
      env: cli.env,
      cwd: cli.home,
      encoding: 'utf8',
      input: '',
    });
    expect(stdout).toContain('evil');
    expect(stdout).toContain('\\u202e');
    expect(stdout).not.toContain('\x1b[94m');
    expect(
      stdout
        .replaceAll('\r\n', '\n')
        .replace(/\x1b\[\d+m/g, '')
        .replace(/^\^D\x08\x08/, ''),
    ).not.toMatch(CONTROLS);
  });

  test.skipIf(!hasScript)(
    'watch counts agents and tasks on a terminal, in color and without other control characters',
    async () => {
      const { cli, agent } = await startFixture();
      const [program, first] = programOf(target);
      const watching = spawn('script', ['-qec', [program, ...first, 'watch'].join(' '), '/dev/null'], {
        env: { ...cli.env, TERM: 'xterm' },
        cwd: cli.home,
      });
      onTestFinished(() => void watching.kill('SIGKILL'));
      let shown = '';
      watching.stdout.setEncoding('utf8').on('data', (text: string) => (shown += text));
      await expect
        .poll(
          async () => {
            await agent.call('report_status', {
              resume_id: 'watched',
              alias: ALIAS,
              status: 'idle',
              progress: shown.length % 100,
            });
            return shown;
          },
          { timeout: 20_000 },
        )
        .toMatch(/agents: \x1b\[\d+m\d+ online\x1b\[\d+m[^\n]* \| tasks: \d+/);
      await expect.poll(() => shown).toContain('evil');
      expect(shown).not.toContain('\x1b[94m');
      expect(shown.replaceAll('\r\n', '\n').replace(/\r\x1b\[K|\x1b\[\d+m/g, '')).not.toMatch(CONTROLS);
      expect(shown).not.toMatch(/\p{Noncharacter_Code_Point}/u);
    },
  );
});

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

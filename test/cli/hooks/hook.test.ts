// hook and wake, as the hooks of coding agents run them: the response is in the client's form, and a waiter wakes its
// session once for each new mail, across restarts of the hub, and ends with its session.
import { existsSync, globSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { startProcess } from '../../../scripts/support/process.ts';
import { mcpClient } from '../../support/http/mcp-client.ts';
import { objectIn, objectOf, textOf } from '../../support/json.ts';
import { type AgentCli, cliFor, newCli, outputOf, run, start } from '../../support/process/command-line.ts';
import { programOf } from '../../support/process/hub-process.ts';
import { hubOfAda } from '../../support/process/registered-hub.ts';
import { type RunningHub, startHub, storyOnce } from '../../support/process/running-hub.ts';

const event = (name: string, rest: object = {}) =>
  JSON.stringify({ hook_event_name: name, session_id: 's-1', cwd: '/src', tool_response: { big: 'x' }, ...rest });

async function send({ env, account }: AgentCli, task: string): Promise<string> {
  const agent = mcpClient(env['AGENTHUB_URL'] ?? '', account.networkToken);
  return textOf(await agent.call('send_task', { alias: 'bob', task, from_session: 'alice' }), 'task_id');
}

/** Resolves when this many waiters follow their event streams. */
async function waiters({ url }: RunningHub, count: number): Promise<void> {
  await vi.waitFor(async () => {
    expect(await (await fetch(`${url}/metrics`)).text()).toContain(`\nagenthub_event_streams_open ${count}\n`);
  }, 20_000);
}

storyOnce('hooks of coding agents', (target) => {
  async function agentAt(): Promise<{ hub: RunningHub; cli: AgentCli; hook: Hook }> {
    const { hub, ...account } = await hubOfAda({ target });
    const cli = cliFor(hub, target, account);
    return { hub, cli, hook: (client, input) => run(cli, ['hook', client, '--alias', 'bob'], { input }) };
  }
  type Hook = (client: string, input: string) => ReturnType<typeof run>;

  describe('hook', () => {
    test.each([
      ['codex', event('Stop'), 'decision'],
      ['gemini', event('AfterTool'), 'hookSpecificOutput'],
      ['copilot', event('PostToolUse'), 'additionalContext'],
      ['cursor', JSON.stringify({ hook_event_name: 'stop', conversation_id: 's-1' }), 'followup_message'],
      ['goose', JSON.stringify({ event: 'Stop', session_id: 's-1', working_dir: '/src' }), 'decision'],
    ])('%s gets the mail in its form, and nothing without mail', async (client, input, member) => {
      const { cli, hook } = await agentAt();
      expect(await hook(client, input)).toMatchObject({ code: 0, stdout: '', stderr: '' });
      const task = await send(cli, 'water the plants');
      const { code, stdout, stderr } = await hook(client, input);
      expect([code, stderr]).toEqual([0, '']);
      expect(objectIn(stdout)).toHaveProperty(member);
      expect(stdout).toMatch(new RegExp(`1 new task for bob\\. .* in_reply_to ${task}\\.`));
    });

    test('a mention that comes back as a prompt was passed on; any other prompt shows that it was lost', async () => {
      const { cli, hook } = await agentAt();
      for (const [isPassedOn, text] of [
        [true, 'water the plants'],
        [false, 'feed the cat'],
      ] as const) {
        const task = await send(cli, text);
        const { reason } = objectIn((await hook('qwen', event('Stop', { stop_hook_active: false }))).stdout);
        expect(reason).toContain(task);
        const prompt = isPassedOn ? reason : 'hello';
        const { stdout } = await hook('qwen', event('UserPromptSubmit', { prompt }));
        expect(stdout.includes(task)).toBe(!isPassedOn);
      }
    });

    test('Gemini CLI drops what is added to a failed tool call, so the mail waits for the next event', async () => {
      const { cli, hook } = await agentAt();
      const task = await send(cli, 'water the plants');
      const failed = { tool_response: { llmContent: 'no', error: { message: 'no' } } };
      expect(await hook('gemini', event('AfterTool', failed))).toMatchObject({ code: 0, stdout: '', stderr: '' });
      expect((await hook('gemini', event('AfterTool'))).stdout).toContain(task);
    });

    test('prints nothing while the hub is down', async () => {
      const { hub, hook } = await agentAt();
      await hub.kill('SIGKILL');
      expect(await hook('codex', event('Stop'))).toMatchObject({ code: 0, stdout: '', stderr: '' });
    });

    test('selects the hub and the token as other commands do, and prints nothing while that hub is down', async () => {
      const { hub, cli } = await agentAt();
      const tokenFile = join(cli.home, 'token');
      writeFileSync(tokenFile, cli.account.networkToken);
      const stranger = newCli(target);
      await outputOf(stranger, ['login', hub.url, '--context', 'work', '--token', cli.account.userToken]);
      const hookWith = (...words: string[]) =>
        run(stranger, ['hook', 'codex', '--alias', 'bob', ...words], { input: event('Stop') });
      const ways = [
        ['--hub', hub.url, '--token', cli.account.networkToken],
        ['--url', hub.url, '--token-file', tokenFile],
        ['--data', hub.data, '--token-file', tokenFile],
        ['--hub', 'work', '--network', 'ada'],
      ];
      for (const way of ways) {
        const task = await send(cli, 'water the plants');
        expect.soft((await hookWith(...way)).stdout, way.join(' ')).toContain(task);
      }
      expect(await hookWith('--url', hub.url, '--hub', hub.url)).toMatchObject({ code: 1, stdout: '' });
      await hub.kill('SIGKILL');
      for (const way of ways)
        expect.soft(await hookWith(...way), way.join(' ')).toMatchObject({ code: 0, stdout: '', stderr: '' });
    });

    test.each([
      ['no JSON', 'Stop', 'agenthub hook codex reads a hook event from standard input, which is not a JSON object'],
      [
        'an event in the form of Goose',
        '{"event":"Stop","session_id":"s-1"}',
        'this is an event of Goose, not of Codex CLI; run agenthub hook goose instead',
      ],
      [
        'an event in the form of Cursor',
        '{"hook_event_name":"stop","conversation_id":"s-1"}',
        'this is an event of Cursor, not of Codex CLI; run agenthub hook cursor instead',
      ],
      [
        'an event without a session',
        '{"hook_event_name":"Stop"}',
        'the event has no session_id, as events of Codex CLI',
      ],
      ['an event that only others have', event('BeforeAgent'), 'the clients with this event are gemini'],
    ])('%s: one line, and an exit code that stops no agent', async (_, input, message) => {
      const { hook } = await agentAt();
      const { code, stderr } = await hook('codex', input);
      expect(code).toBe(1);
      expect(stderr).toMatch(new RegExp(`^agenthub: .*${message}.*\n$`));
    });

    test.each<[string, string[], string?]>([
      ['hook', ['codex', '--alias', '']],
      ['hook', ['codx', '--alias', 'bob']],
      ['hook', ['claude', '--alias', 'bob'], 'cursor, goose. Did you mean claude-code?'],
      ['wake', []],
      ['wake', ['--alias', 'bob', '--unknown']],
    ])(
      '%s %j: wrong usage does not exit with 2, which would stop or wake the agent',
      async (command, args, message = '') => {
        const { cli } = await agentAt();
        const { code, stderr } = await run(cli, [command, ...args], { input: event('Stop') });
        expect(code).toBe(1);
        expect(stderr).toMatch(/^agenthub: .*\n$/);
        expect(stderr).toContain(message);
      },
    );

    test('a revoked token is explained to the person', async () => {
      const { cli } = await agentAt();
      const forged = { ...cli, env: { ...cli.env, AGENTHUB_TOKEN: `ntok_${'x'.repeat(43)}` } };
      const hookAt = (name: string) => run(forged, ['hook', 'codex', '--alias', 'bob'], { input: event(name) });
      const { code, stdout } = await hookAt('UserPromptSubmit');
      expect(code).toBe(0);
      const { systemMessage, hookSpecificOutput } = objectIn(stdout);
      expect(systemMessage).toMatch(/^agenthub: .*token.* \(run agenthub connect codex --hooks --write --alias bob\)$/);
      expect(hookSpecificOutput).toEqual({ hookEventName: 'UserPromptSubmit', additionalContext: systemMessage });
      expect(await hookAt('PostToolUse')).toMatchObject({ code: 0, stdout: '' }); // once a turn is enough
    });

    test('a client that connect cannot configure is told how to sign in', async () => {
      const { cli } = await agentAt();
      const forged = { ...cli, env: { ...cli.env, AGENTHUB_TOKEN: `ntok_${'x'.repeat(43)}` } };
      const { stderr } = await run(forged, ['hook', 'goose', '--alias', 'bob'], { input: event('Stop') });
      expect(stderr).toMatch(/ \(run agenthub login, or set AGENTHUB_URL and AGENTHUB_TOKEN\)\n$/);
    });

    test.each([
      [[], 'run agenthub connect claude --hooks --write --alias bob'],
      [['--detached', 's-1', '--exec', 'codex queue'], 'run agenthub connect codex --hooks --write --alias bob'],
      [
        ['--session', 's-1'],
        'run agenthub connect qwen --hooks --write --alias bob, or agenthub connect copilot --hooks --write --alias bob',
      ],
    ])('wake %j with a revoked token gives the same advice as hook', async (options, advice) => {
      const { cli } = await agentAt();
      const forged = { ...cli, env: { ...cli.env, AGENTHUB_TOKEN: `ntok_${'x'.repeat(43)}` } };
      const args = ['wake', '--alias', 'bob', ...options];
      const { code, stderr } = await run(forged, args, { input: event('UserPromptSubmit') });
      expect([code, stderr]).toEqual([expect.any(Number), expect.stringContaining(` (${advice})\n`)]);
    });

    test('a token of the plugin that is not valid is replaced by connecting the plugin again', async () => {
      const { hub, cli } = await agentAt();
      const env = { CLAUDE_PLUGIN_OPTION_HUB_URL: hub.url, CLAUDE_PLUGIN_OPTION_HUB_TOKEN: 'ntok_revoked' };
      const args = ['hook', 'claude-code', '--alias', 'bob'];
      const { stdout } = await run(cli, args, { input: event('UserPromptSubmit'), env });
      expect(stdout).toContain('run agenthub connect claude --plugin --write --alias bob');
    });
  });

  describe('wake', () => {
    const wake = (cli: AgentCli, rest: object = {}) =>
      start(cli, ['wake', '--alias', 'bob'], { input: event('Stop', rest) });

    test('wakes the session with one line for new mail, and then waits for the next', async () => {
      const { cli, hook } = await agentAt();
      const waiting = wake(cli);
      const task = await send(cli, 'water the plants');
      expect(await waiting.ended).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(new RegExp(`^agenthub: 1 new task for bob\\. [^\n]* in_reply_to ${task}\\.\n$`)),
      });
      await hook('claude-code', event('Stop'));
      const next = wake(cli);
      const second = await send(cli, 'feed the cat');
      expect((await next.ended).stderr).toMatch(new RegExp(`1 new task for bob\\. .* in_reply_to ${second}\\.`));
    });

    test('repeats what the session did not notice, and not what a hook has mentioned', async () => {
      const { cli, hook } = await agentAt();
      const task = await send(cli, 'water the plants');
      for (let time = 0; time < 2; time++) expect((await wake(cli).ended).stderr).toContain(task);
      for (const name of ['UserPromptSubmit', 'Stop']) await hook('claude-code', event(name));
      const third = wake(cli);
      const second = await send(cli, 'feed the cat');
      expect((await third.ended).stderr).toMatch(new RegExp(`1 new task for bob\\. .* in_reply_to ${second}\\.`));
    });

    test('started with a prompt, does not repeat what woke the session, even before the hook of the prompt', async () => {
      const { cli, hook } = await agentAt();
      await send(cli, 'water the plants');
      expect((await wake(cli).ended).code).toBe(2);
      const next = wake(cli, { hook_event_name: 'UserPromptSubmit' });
      await hook('claude-code', event('UserPromptSubmit'));
      await hook('claude-code', event('Stop'));
      const second = await send(cli, 'feed the cat');
      expect((await next.ended).stderr).toMatch(new RegExp(`1 new task for bob\\. .* in_reply_to ${second}\\.`));
    });

    test('selects the hub and the token as other commands do, also in the background', async () => {
      const { hub, cli } = await agentAt();
      const tokenFile = join(cli.home, 'token');
      writeFileSync(tokenFile, cli.account.networkToken);
      const selected = ['wake', '--alias', 'bob', '--data', hub.data, '--token-file', tokenFile];
      const stranger = newCli(target);
      const task = await send(cli, 'water the plants');
      expect(await run(stranger, selected, { input: event('Stop') })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(task),
      });
      const script = join(stranger.home, 'note.sh');
      writeFileSync(script, `printf '%s' "$1" > ${stranger.home}/noted\n`);
      await run(stranger, [...selected, '--exec', `sh ${script} {line}`], {
        input: event('Stop', { session_id: 's-2' }),
      });
      const noted = () =>
        existsSync(join(stranger.home, 'noted')) && readFileSync(join(stranger.home, 'noted'), 'utf8');
      await vi.waitFor(() => expect(noted()).toContain(task), 20_000);
    });

    test('survives a hub that is killed and restarted, and one that is down at first', async () => {
      const { hub, cli } = await agentAt();
      await send(cli, 'water the plants');
      expect((await wake(cli).ended).code).toBe(2);
      await hub.kill('SIGKILL');
      const early = wake(cli, { session_id: 's-2' });
      const port = new URL(hub.url).port;
      await startHub({ target, data: hub.data, args: ['--port', port] });
      expect(await early.ended).toMatchObject({ code: 2, stderr: expect.stringContaining('1 new task for bob') });
    });

    test('ends with its session, and when another waiter takes over', async () => {
      const { hub, cli, hook } = await agentAt();
      const first = wake(cli);
      await waiters(hub, 1);
      const second = wake(cli);
      expect(await first.ended).toMatchObject({ code: 0, stderr: '' });
      await waiters(hub, 1);
      await hook('claude-code', event('SessionEnd'));
      await send(cli, 'too late');
      expect(await second.ended).toMatchObject({ code: 0, stderr: '' });
    });

    test.each([
      ['an address that is none', { AGENTHUB_URL: 'hub' }, {}],
      ['a session that the hub refuses', {}, { session_id: 's'.repeat(201) }],
    ])('%s does not wake or stop the agent', async (_, env, rest) => {
      const { cli } = await agentAt();
      const wrong = { ...cli, env: { ...cli.env, ...env } };
      expect((await wake(wrong, rest).ended).code).toBe(1);
      const hooked = await run(wrong, ['hook', 'codex', '--alias', 'bob'], { input: event('Stop', rest) });
      expect(hooked).toMatchObject({ code: 1, stdout: '' });
    });

    test('a command that a client runs unasked cannot run other programs', async () => {
      const { cli } = await agentAt();
      const args = ['wake', '--alias', 'bob', '--session', 's', '--exec', `touch ${join(cli.home, 'done')}`];
      for (const more of [[], ['--detached', 's', '--owner', '1']]) {
        const { code, stderr } = await run(cli, [...args, ...more]);
        expect([code, stderr]).toEqual([1, expect.stringContaining("'--session <id>' cannot be used with")]);
      }
      expect(existsSync(join(cli.home, 'done'))).toBe(false);
    });

    test('leaves a session without a person at once', async () => {
      const { cli } = await agentAt();
      const headless = { ...cli, env: { ...cli.env, CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' } };
      await send(cli, 'water the plants');
      expect(await wake(headless).ended).toMatchObject({ code: 0, stderr: '' });
    });

    test('runs a command for each notice, in the background, and again if it fails', async () => {
      const { cli } = await agentAt();
      const script = join(cli.home, 'queue.sh');
      const log = join(cli.home, 'queued');
      writeFileSync(
        script,
        `[ -e ${log}.failed ] || { touch ${log}.failed; exit 1; }; printf '%s|%s\\n' "$1" "$2" >> ${log}`,
      );
      const args = ['wake', '--alias', 'bob', '--exec', `sh ${script} {session} {line}`];
      expect(await run(cli, args, { input: event('SessionStart') })).toMatchObject({ code: 0, stdout: '' });
      for (const text of ['$(date) && one', 'two']) {
        const task = await send(cli, text);
        await vi.waitFor(
          () => expect(existsSync(log) && readFileSync(log, 'utf8')).toContain(`in_reply_to ${task}`),
          20_000,
        );
      }
      expect(readFileSync(log, 'utf8')).toContain('$(date) && one');
    });
  });

  test('wait --url uses the token that connect --hooks stored, as in a background shell of the agent', async () => {
    const { cli } = await agentAt();
    await outputOf(cli, ['connect', 'qwen', '--hooks', '--write', '--alias', 'bob']);
    const shell = { ...cli, env: { ...cli.env, AGENTHUB_URL: '', AGENTHUB_TOKEN: '' } };
    const task = await send(cli, 'water the plants');
    const args = ['wait', '--new', '--alias', 'bob', '--url', cli.env['AGENTHUB_URL'] ?? ''];
    expect(await run(shell, args)).toMatchObject({ code: 0, stdout: expect.stringContaining(task) });
  });

  describe('a session that only a background shell wakes', () => {
    const TOLD = /run this command in a background shell before you end your turn, and again[^`]*`([^`]+)`/;

    /** What the model reads when the session starts. */
    async function commandFor(hook: Hook, client: string, session = 's-1'): Promise<string> {
      const { code, stdout, stderr } = await hook(client, event('SessionStart', { session_id: session }));
      expect([code, stderr]).toEqual([0, '']);
      const response = objectIn(stdout);
      const { additionalContext } = client === 'qwen' ? objectOf(response, 'hookSpecificOutput') : response;
      const [, command = ''] = TOLD.exec(String(additionalContext)) ?? [];
      return command;
    }

    function shell({ env }: AgentCli, command: string) {
      const started = startProcess({ file: 'sh', args: ['-c', command] }, { env: { ...env } });
      onTestFinished(async () => void (await started.kill('SIGKILL')));
      return started.ended.then(({ code }) => ({ code, stdout: started.stdout(), stderr: started.stderr() }));
    }

    test.each(['copilot', 'qwen'])(
      '%s is told a command that ends with the mail, and to run it again',
      async (client) => {
        const { cli, hook } = await agentAt();
        const command = await commandFor(hook, client);
        for (const text of ['water the plants', 'feed the cat']) {
          const waiting = shell(cli, command);
          const task = await send(cli, text);
          const { code, stdout, stderr } = await waiting;
          expect([code, stderr]).toEqual([0, '']);
          expect(stdout).toMatch(
            new RegExp(`^agenthub: 1 new task for bob\\. [^\n]* in_reply_to ${task}\\. [^\n]*\n$`),
          );
          expect(stdout).toContain(JSON.stringify(text));
          expect(stdout).toMatch(/run this command in the background again\.\n$/);
          expect((await hook(client, event('Stop'))).stdout).toBe(''); // the client has just told the model
        }
      },
    );

    test.each(['copilot', 'qwen'])(
      '%s is told the command again when a turn ends and nothing waits',
      async (client) => {
        const { hub, cli, hook } = await agentAt();
        const command = await commandFor(hook, client);
        const end = async (rest = {}) => (await hook(client, event('Stop', rest))).stdout;
        expect(await end()).toBe(''); // a model that has never run it was told when the session started
        const waiting = startProcess({ file: 'sh', args: ['-c', `exec ${command}`] }, { env: { ...cli.env } });
        await waiters(hub, 1);
        expect(await end()).toBe('');
        await waiting.kill('SIGKILL');
        expect(objectIn(await end())).toMatchObject({
          decision: 'block',
          reason: expect.stringContaining(`\`${command}\``),
        });
        expect(await end({ stop_hook_active: true })).toBe('');
        const again = shell(cli, command);
        await waiters(hub, 1);
        expect(await end()).toBe('');
        const task = await send(cli, 'water the plants');
        expect((await again).stdout).toContain(task);
        expect(await end()).toBe('');
        const claims = globSync('.config/agenthub/waiting/*', { cwd: cli.home }).map((name) => join(cli.home, name));
        expect(claims).toHaveLength(1);
        for (const claim of claims) utimesSync(claim, 0, 0); // as if it had ended long ago
        expect(await end()).toContain('nothing waits for your mail any more');
      },
    );

    test('is told once: by the hooks while it works, by the command while it is idle', async () => {
      const { hub, cli, hook } = await agentAt();
      await hook('qwen', event('UserPromptSubmit'));
      const waiting = shell(cli, await commandFor(hook, 'qwen'));
      await waiters(hub, 1);
      const first = await send(cli, 'water the plants');
      expect((await hook('qwen', event('PostToolUse'))).stdout).toContain(first);
      expect((await hook('qwen', event('Stop'))).stdout).toBe('');
      const second = await send(cli, 'feed the cat');
      const { stdout } = await waiting;
      expect(stdout).toContain(second);
      expect(stdout).not.toContain(first);
    });

    test('is told why a command ends without mail, so that the model does not run it again', async () => {
      const { hub, cli, hook } = await agentAt();
      const command = await commandFor(hook, 'copilot');
      const first = shell(cli, command);
      await waiters(hub, 1);
      const second = shell(cli, command);
      expect((await first).stdout).toMatch(/^agenthub: another of these commands [^\n]* Do not start one more\.\n$/);
      await waiters(hub, 1);
      await hook('copilot', event('SessionEnd'));
      await send(cli, 'too late');
      expect((await second).stdout).toBe('agenthub: the session has ended. Do not run this command again.\n');
    });

    test('two sessions of an agent are both told', async () => {
      const { hub, cli, hook } = await agentAt();
      const waiting = [];
      for (const session of ['s-1', 's-2']) waiting.push(shell(cli, await commandFor(hook, 'copilot', session)));
      await waiters(hub, 2);
      const task = await send(cli, 'water the plants');
      for (const { stdout } of await Promise.all(waiting)) expect(stdout).toContain(`in_reply_to ${task}.`);
    });

    test('is told nothing if it runs a single prompt, which would wait for the command', async () => {
      const { cli } = await agentAt();
      const client = join(cli.home, 'client.mjs');
      const [file, args] = programOf(target);
      const words = JSON.stringify([...args, 'hook', 'copilot', '--alias', 'bob']);
      writeFileSync(
        client,
        `import { spawnSync } from 'node:child_process';
         spawnSync(${JSON.stringify(file)}, ${words}, { input: process.argv.at(-1), stdio: ['pipe', 'inherit', 'inherit'] });`,
      );
      const outputOf = async (...options: string[]) => {
        const run = startProcess(
          { file: process.execPath, args: [client, ...options, event('SessionStart')] },
          { env: { ...cli.env } },
        );
        await run.ended;
        return run.output();
      };
      expect(await outputOf('--model', 'x')).toMatch(TOLD);
      for (const option of ['-p', '--prompt']) expect(await outputOf(option, 'hello')).toBe('');
    });

    test.each(['claude-code', 'codex', 'gemini', 'opencode'])('%s is told nothing at the start', async (client) => {
      const { hook } = await agentAt();
      expect(await hook(client, event('SessionStart'))).toMatchObject({ code: 0, stdout: '' });
    });
  });

  test('wait leaves mail to the hooks, unless it prints it whole', async () => {
    const { cli, hook } = await agentAt();
    const wait = (...options: string[]) => outputOf(cli, ['wait', '--alias', 'bob', ...options]);
    const task = await send(cli, 'water the plants');
    expect(await wait()).toContain(task);
    expect((await hook('codex', event('UserPromptSubmit'))).stdout).toContain(task);
    const second = await send(cli, 'feed the cat');
    expect(await wait('-o', 'json')).toContain(second);
    expect((await hook('codex', event('PostToolUse'))).stdout).toBe('');
  });

  test('wait --new returns for mail that no session was told about, once, and leaves it unfetched', async () => {
    const { cli, hook } = await agentAt();
    const wait = (timeout: string) => run(cli, ['wait', '--alias', 'bob', '--new', '--timeout', timeout]);
    const task = await send(cli, 'water the plants');
    expect(await wait('20')).toMatchObject({ code: 0, stdout: expect.stringContaining(task) });
    expect(await wait('1')).toMatchObject({ code: 6, stderr: 'agenthub: no new mail for bob in 1 s\n' });
    const second = await send(cli, 'feed the cat');
    expect((await hook('codex', event('PostToolUse'))).stdout).toContain(second);
    expect((await wait('0')).code).toBe(6);
    const third = await send(cli, 'lock the door');
    expect(await wait('0')).toMatchObject({ code: 0, stdout: expect.stringContaining(third) });
  });
});

test('without a token, hook says how to get one', async () => {
  const cli = newCli('source');
  const { code, stderr } = await run(cli, ['hook', 'codex', '--alias', 'bob'], { input: event('Stop') });
  expect(code).toBe(0);
  expect(stderr).toBe(
    'agenthub: no token for bob at http://127.0.0.1:4747; run agenthub connect codex --hooks --write --alias bob\n',
  );
});

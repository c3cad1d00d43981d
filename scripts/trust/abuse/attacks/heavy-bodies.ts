// Attacks with request bodies that cost much to read, parse or store.
import { setTimeout as after } from 'node:timers/promises';
import { MAX_ARTIFACT, MAX_ARTIFACTS, MAX_RESULT } from '../../../../server/domain/limits.ts';
import { type Attack, type AttackContext, type AttackRun, repeat } from '../attack.ts';
import { ask, dial, readStatus, requestText, rpc, toolCall, type WireRequest } from '../wire.ts';

const MEBIBYTE = 1024 * 1024;
const HELD_MS = 3_000;
const POST_PAUSE_MS = 90;
/** The slowest JSON to parse: half a million lists. */
const WIDE = `[${'[],'.repeat(MEBIBYTE / 3 - 10)}[]]`;
const DEEP = '['.repeat(MEBIBYTE / 2) + ']'.repeat(MEBIBYTE / 2);

function posting({ hub }: AttackContext, request: readonly WireRequest[]): AttackRun {
  let next = 0;
  return repeat(1, async () => {
    void ask(hub, request[next++ % request.length] ?? { path: '/' });
    await after(POST_PAUSE_MS);
  });
}

export const unknownPaths: Attack = {
  name: 'large posts to unknown paths',
  prepare: async (context) =>
    posting(
      context,
      [WIDE, DEEP].map((body) => ({ path: '/nowhere', body })),
    ),
};

export const wideBodies: Attack = {
  name: 'bodies of many members',
  prepare: async (context) => {
    const { networkToken: token } = context.mallory;
    const members = `{${Array.from({ length: 90_000 }, (_, number) => `"m${number}":1`).join(',')}}`;
    const call = JSON.stringify(toolCall('send_task', {})).replace('{}', members);
    return posting(context, [
      { path: '/mcp', token, body: call },
      { path: '/api/tasks', token, body: members },
      { path: '/mcp', token, body: WIDE },
      { path: '/mcp', token, body: DEEP },
    ]);
  },
};

const SMALL_BODY_LANES = 1_500;
const SMALL_BODY_MEMBERS = 1_900;

/** Just below the limit of a request without a token. Each takes more than a millisecond to parse and copy. */
export const smallBodies: Attack = {
  name: 'small bodies of many members',
  prepare: async ({ hub, mallory: { networkToken: token }, share }) => {
    const names = Array.from({ length: SMALL_BODY_MEMBERS }, (_, number) => `"${number.toString(36)}":1`);
    const body = `{${names.join(',')}}`;
    const requests = [
      { path: '/api/networks/preview', body },
      { path: '/api/tasks', token, body },
      { path: '/hooks/codex?alias=mallory', token, body },
    ];
    return repeat(share(SMALL_BODY_LANES), (lane) => ask(hub, requests[lane % requests.length] ?? { path: '/' }));
  },
};

const HOOK_LANES = 4;
const HOOK_MEMBERS = 19_000;
const HOOK_TEXT = 7 * MEBIBYTE;

/** The content of Claude Code hook events: the output of a tool. */
export const hookBodies: Attack = {
  name: 'hook events of seven mebibytes',
  prepare: async ({ hub, mallory }) => {
    const members = Object.fromEntries(Array.from({ length: HOOK_MEMBERS }, (_, number) => [`m${number}`, 1]));
    const event = {
      hook_event_name: 'PostToolUse',
      session_id: 'c-1',
      cwd: '/src',
      tool_response: { ...members, text: '\u0001'.repeat(HOOK_TEXT / 6) },
    };
    const request = {
      path: '/hooks/claude-code?alias=mallory',
      token: mallory.networkToken,
      body: JSON.stringify(event),
    };
    return repeat(HOOK_LANES, () => ask(hub, request));
  },
};

const SESSION_LANES = 20;
const SESSIONS_OF_AGENT = 20;
const ATTRIBUTE = '\u0001'.repeat(2_000);

/** A new session in each event, with the longest texts. */
export const hookSessions: Attack = {
  name: 'hook events of ever more sessions',
  prepare: async ({ hub, mallory: { networkToken: token } }) => {
    let number = 0;
    return repeat(SESSION_LANES, () => {
      const session = number++;
      const event = {
        hook_event_name: 'PostToolUse',
        session_id: `s${session % SESSIONS_OF_AGENT}`,
        cwd: ATTRIBUTE,
        model: ATTRIBUTE,
      };
      const alias = `agent-${Math.floor(session / SESSIONS_OF_AGENT)}`;
      return ask(hub, { path: `/hooks/claude-code?alias=${alias}`, token, body: JSON.stringify(event) });
    });
  },
};

const SUBSCRIPTIONS = 100;

/** Each body has one mebibyte that is not needed after parsing. */
export const largeSubscriptions: Attack = {
  name: 'subscriptions with a mebibyte each',
  prepare:
    async ({ hub, mallory, share, atEnd }) =>
    async (isOver) => {
      const opened = Array.from({ length: share(SUBSCRIPTIONS) }, () => {
        const socket = dial(hub);
        socket.write(
          requestText(rpc(mallory.networkToken, subscription(['hub://status'], 'x'.repeat(MEBIBYTE - 2_000)), MODERN)),
        );
        return { socket, begun: readStatus(socket) };
      });
      atEnd(() => opened.forEach(({ socket }) => socket.destroy()));
      await Promise.all(opened.map(({ begun }) => begun));
      const until = performance.now() + share(HELD_MS);
      while (!isOver() && performance.now() < until) await after(50);
      opened.forEach(({ socket }) => socket.destroy());
      return [];
    },
};

const VERSION = '2026-07-28';
const MODERN = { 'MCP-Protocol-Version': VERSION, 'Mcp-Method': 'subscriptions/listen' };

export function subscription(resourceSubscriptions: readonly string[], padding = ''): object {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return {
    jsonrpc: '2.0',
    id: 1,
    method: 'subscriptions/listen',
    params: { _meta, padding, notifications: { resourceSubscriptions } },
  };
}

const COMPLETING = 12;

/** As long as a completion can be, on several connections: each commit writes megabytes. */
export const largeCompletions: Attack = {
  name: 'completions as long as allowed',
  prepare: async ({ hub, mallory }) => {
    const call = toolCall('report_completion', {
      alias: 'm',
      task: '\u{1f600}'.repeat(10_000),
      result: '\u{1f600}'.repeat(MAX_RESULT),
      artifacts: Array.from({ length: MAX_ARTIFACTS }, () => '\u{1f600}'.repeat(MAX_ARTIFACT)),
    });
    return repeat(COMPLETING, async () => {
      const { status, text } = await ask(hub, rpc(mallory.networkToken, call));
      if (status !== 200 || text.includes('"isError":true'))
        throw new Error(`report_completion returned ${status} ${text.slice(-200)}`);
    });
  },
};

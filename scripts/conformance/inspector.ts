// The checks of the official Inspector, in both eras: it lists, calls, reads and gets, and its output must contain what
// the hub sent. Its command line has no method for completions.
import { partialDeepStrictEqual } from 'node:assert/strict';
import type { Check } from './check.ts';
import type { FixtureHub } from './fixture-hub.ts';
import { PNG } from './fixtures/content.ts';
import { type Output, runPeer } from './peers.ts';

const ERAS = ['modern', 'legacy'];

/** The exit code of the Inspector for a tool error. */
const TOOL_ERROR = 5;

type Row = { args: readonly string[]; code?: number; shows: object };

/** In order: report_status creates the agent that the later rows show. */
const ROWS: readonly Row[] = [
  { args: ['tools/list', '--strict'], shows: { tools: [{ name: 'report_status' }, { name: 'test_simple_text' }] } },
  { args: ['resources/list'], shows: { resources: [{ uri: 'hub://status' }, { uri: 'test://static-text' }] } },
  { args: ['resources/templates/list'], shows: { resourceTemplates: [{ uriTemplate: 'hub://inbox/{alias}' }] } },
  { args: ['prompts/list'], shows: { prompts: [{ name: 'check_inbox' }, { name: 'test_simple_prompt' }] } },
  {
    args: [...tool('report_status'), '--tool-arg', 'resume_id=bob-1', 'alias=bob', 'status=idle'],
    shows: content({ ok: true, resume_id: 'bob-1', alias: 'bob' }),
  },
  { args: tool('get_all_status'), shows: content({ ok: true, sessions: [{ alias: 'bob', status: 'idle' }] }) },
  {
    args: [...tool('get_task'), '--tool-arg', 'task_id=task_none'],
    code: TOOL_ERROR,
    shows: { isError: true, ...content({ ok: false, error: 'task not found' }) },
  },
  {
    args: tool('test_image_content'),
    shows: { content: [{ type: 'image', mimeType: 'image/png', data: PNG }] },
  },
  { args: tool('test_tool_with_progress'), shows: content('The work is done.') },
  {
    args: ['resources/read', '--uri', 'hub://status'],
    shows: {
      contents: [{ uri: 'hub://status', mimeType: 'application/json', text: { sessions: [{ alias: 'bob' }] } }],
    },
  },
  {
    args: ['resources/read', '--uri', 'hub://inbox/bob'],
    shows: { contents: [{ uri: 'hub://inbox/bob', text: { ok: true, messages: [] } }] },
  },
  {
    args: ['resources/read', '--uri', 'test://static-binary'],
    shows: { contents: [{ uri: 'test://static-binary', mimeType: 'image/png', blob: PNG }] },
  },
  {
    args: ['prompts/get', '--prompt-name', 'check_inbox', '--prompt-args', 'alias=bob'],
    shows: { description: 'Work through the inbox of an agent.', messages: [{ role: 'user' }] },
  },
  {
    args: ['prompts/get', '--prompt-name', 'test_prompt_with_arguments', '--prompt-args', 'arg1=one', 'arg2=two'],
    shows: { messages: [{ content: { type: 'text', text: "Prompt with arguments: arg1='one', arg2='two'" } }] },
  },
];

function tool(name: string): string[] {
  return ['tools/call', '--tool-name', name];
}

function content(text: object | string): object {
  return { content: [{ type: 'text', text }] };
}

export function inspectorChecks({ port, token }: FixtureHub): Check[] {
  const server = [`http://127.0.0.1:${port}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${token}`];
  return ERAS.flatMap((era) =>
    ROWS.map((row) => ({
      name: `inspector ${era} ${row.args.join(' ')}`,
      run: async () => {
        const options = ['--cli', ...server, '--protocol-era', era, '--format', 'json', '--method', ...row.args];
        return { problem: problemIn(await runPeer('inspector', options), row) };
      },
    })),
  );
}

function problemIn({ code, out, err }: Output, row: Row): string | undefined {
  if (code !== (row.code ?? 0)) return `exit code ${code}\n${out}${err}`;
  try {
    partialDeepStrictEqual(JSON.parse(out, parsed).result, row.shows);
    return undefined;
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}\n${out}${err}`;
  }
}

/** The hub's tools and resources return JSON in texts. */
function parsed(_key: string, value: unknown): unknown {
  return typeof value === 'string' && value.startsWith('{') ? JSON.parse(value) : value;
}

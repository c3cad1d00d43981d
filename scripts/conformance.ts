// `npm run mcp:conformance`: tests the MCP endpoint with the official tools, in both protocol eras: the conformance
// runner with test/conformance-baseline.yml, and the Inspector. The two take 160 MB that nothing else needs, so they
// are installed into dist/ on first use.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { DIST, ROOT } from '../build/step.ts';
import { hubCommand, openNetwork } from './bench/hub.ts';
import { launch } from './support/program.ts';

const TOOLS = { conformance: '0.2.0-alpha.12', inspector: '2.12.0' } as const;
const HOME = join(DIST, 'conformance');
const BASELINE = join(ROOT, 'test', 'conformance-baseline.yml');
const REVISIONS = ['2026-07-28', '2025-11-25'];
const ERAS = ['modern', 'legacy'];
const LISTS = [['tools/list', '--strict'], ['resources/list'], ['resources/templates/list'], ['prompts/list']];

type Check = { name: string; tool: keyof typeof TOOLS; args: string[] };

installTools();
const data = mkdtempSync(join(tmpdir(), 'agenthub-conformance-'));
const hub = await launch(hubCommand('source', data));
try {
  const token = await openNetwork(hub);
  using proxy = await openProxy(hub.port, token);
  using withSession = await openProxy(hub.port, token, { 'mcp-session-id': 'of the proxy' });
  for (const check of checks(`${proxy.url}/mcp`, `${withSession.url}/mcp`, `${hub.url}/mcp`, token)) await run(check);
} finally {
  await hub.kill();
  rmSync(data, { recursive: true, force: true });
}

function installTools(): void {
  const missing = Object.entries(TOOLS).filter(([tool, version]) => installedVersion(tool) !== version);
  if (missing.length === 0) return;
  mkdirSync(HOME, { recursive: true });
  const packages = missing.map(([tool, version]) => `@modelcontextprotocol/${tool}@${version}`);
  const { status } = spawnSync(
    'npm',
    ['install', '--prefix', HOME, '--no-fund', '--no-audit', '--ignore-scripts', ...packages],
    { stdio: 'inherit' },
  );
  if (status !== 0) throw new Error(`npm could not install ${packages.join(' ')}`);
}

function installedVersion(tool: string): unknown {
  const file = join(packageOf(tool), 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : undefined;
}

function packageOf(tool: string): string {
  return join(HOME, 'node_modules', '@modelcontextprotocol', tool);
}

/** The runner cannot send headers, so this proxy adds the bearer token to requests, and `added` to responses. */
async function openProxy(
  port: number,
  token: string,
  added: Record<string, string> = {},
): Promise<Disposable & { url: string }> {
  const proxy = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const sent = request(
      { host: '127.0.0.1', port, method, path: url, headers: { ...headers, authorization: `Bearer ${token}` } },
      (response) => {
        outgoing.writeHead(response.statusCode ?? 502, { ...response.headers, ...added });
        response.pipe(outgoing);
      },
    );
    sent.on('error', () => outgoing.destroy());
    outgoing.on('close', () => sent.destroy());
    incoming.pipe(sent);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    proxy.close();
    proxy.closeAllConnections();
  };
  return { url: `http://localhost:${portOf(proxy.address())}`, [Symbol.dispose]: close };
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address !== 'object' || address === null) throw new Error('the proxy has no port');
  return address.port;
}

function checks(proxied: string, inSession: string, direct: string, token: string): Check[] {
  const results = join(HOME, 'results');
  const header = `Authorization: Bearer ${token}`;
  return [
    ...REVISIONS.map(
      (revision): Check => ({
        name: `conformance ${revision}`,
        tool: 'conformance',
        args: [
          'server',
          '--url',
          proxied,
          '--requirements',
          revision,
          '--expected-failures',
          BASELINE,
          '--output-dir',
          results,
        ],
      }),
    ),
    // This scenario requires a session id, which the hub never sends, so the proxy adds one. All else is the hub's.
    {
      name: 'conformance 2025-11-25 server-sse-multiple-streams, with a session of the proxy',
      tool: 'conformance',
      args: [
        'server',
        '--url',
        inSession,
        '--scenario',
        'server-sse-multiple-streams',
        '--spec-version',
        '2025-11-25',
        '--output-dir',
        results,
      ],
    },
    ...ERAS.flatMap((era) =>
      LISTS.map(
        ([method = '', ...rest]): Check => ({
          name: `inspector ${era} ${method}`,
          tool: 'inspector',
          args: [
            '--cli',
            direct,
            '--transport',
            'http',
            '--header',
            header,
            '--protocol-era',
            era,
            '--method',
            method,
            ...rest,
          ],
        }),
      ),
    ),
  ];
}

async function run({ name, tool, args }: Check): Promise<void> {
  const { bin } = JSON.parse(readFileSync(join(packageOf(tool), 'package.json'), 'utf8'));
  const main = join(packageOf(tool), bin[tool]);
  const child = spawn(process.execPath, [main, ...args], { cwd: HOME, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  process.stdout.write(`${code === 0 ? 'ok  ' : 'FAIL'}  ${name}${figuresIn(out)}\n`);
  if (code === 0) return;
  process.stdout.write(`${out}${err}\n`);
  process.exitCode = 1;
}

/** The runner also counts failures that the baseline excuses or that the revision does not require. */
function figuresIn(out: string): string {
  const passed = /^(?:Total|Passed): (\d+)/m.exec(out)?.[1];
  if (passed === undefined) return '';
  return `: ${passed} checks passed, ${out.match(/^ {2}~ /gm)?.length ?? 0} excused by the baseline`;
}

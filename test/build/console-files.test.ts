import type { Server } from 'node:http';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import Koa from 'koa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { consoleFiles } from '../../server/http/console/files.ts';
import { packFiles, readPack } from '../../server/http/console/pack.ts';

const PAGE = '<!doctype html><title>agenthub</title>';
const SCRIPT = 'export const word = "once more";\n'.repeat(200);
const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

const files = [
  { path: '/index.html', type: 'text/html; charset=utf-8', body: Buffer.from(PAGE) },
  { path: '/assets/main-ABCDEFGH.js', type: 'text/javascript; charset=utf-8', body: Buffer.from(SCRIPT) },
];

describe('the pack', () => {
  const pack = readPack(packFiles(files));

  test('returns every file, byte for byte, in every encoding', () => {
    const script = pack.get('/assets/main-ABCDEFGH.js');
    expect(script?.bodies.identity?.toString()).toBe(SCRIPT);
    expect(gunzipSync(script?.bodies.gzip ?? '').toString()).toBe(SCRIPT);
    expect(brotliDecompressSync(script?.bodies.br ?? '').toString()).toBe(SCRIPT);
  });

  test('does not compress small files', () => {
    expect(Object.keys(pack.get('/index.html')?.bodies ?? {})).toEqual(['identity']);
  });

  test('can be at any address in memory', () => {
    const bytes = packFiles(files);
    const moved = new Uint8Array(bytes.length + 3);
    moved.set(bytes, 3);
    expect(readPack(moved.subarray(3)).get('/index.html')?.bodies.identity?.toString()).toBe(PAGE);
  });
});

describe('the console over HTTP', () => {
  let hub: Running;
  beforeAll(async () => (hub = await serve(packFiles(files))));
  afterAll(() => hub.close());

  test.each(['/', '/sign-in', '/tasks/some-id', '/index.html', '/apis', '/healthy'])(
    '%s is the page for a browser',
    async (path) => {
      const response = await hub.get(path, HTML);
      expect(response).toMatchObject({ status: 200, body: PAGE });
      expect(response.headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'x-dns-prefetch-control': 'off',
      });
    },
  );

  test('/ is the page for every client', async () => {
    expect(await hub.get('/', { accept: '*/*' })).toMatchObject({ status: 200, body: PAGE });
  });

  test.each([
    '/api',
    '/api/nothing',
    '/mcp',
    '/events/me',
    '/health',
    '/hooks/x',
    '/metrics',
    '/.well-known/x',
    '/register',
    '/assets/gone.js',
  ])('%s is never the page', async (path) => expect((await hub.get(path, HTML)).status).toBe(404));

  test('a script with a mistyped path gets no page', async () => {
    expect((await hub.get('/taks', { accept: '*/*' })).status).toBe(404);
    expect((await hub.get('/taks', {})).status).toBe(404);
  });

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('%s does not belong to the console', async (method) => {
    expect((await hub.send(method, '/', HTML)).status).toBe(404);
  });

  test('allows scripts and styles of this origin only', async () => {
    const policy = String((await hub.get('/', HTML)).headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*/);
  });

  test('an asset is cached for a year', async () => {
    const { headers, body } = await hub.get('/assets/main-ABCDEFGH.js', {});
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(headers.vary).toBe('Accept-Encoding');
    expect(body).toBe(SCRIPT);
  });

  test.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['identity', undefined],
    [undefined, undefined],
  ])('for Accept-Encoding %s the response is %s', async (accepted, expected) => {
    const { headers, bytes } = await hub.get(
      '/assets/main-ABCDEFGH.js',
      accepted ? { 'accept-encoding': accepted } : {},
    );
    expect(headers['content-encoding']).toBe(expected);
    expect(Number(headers['content-length'])).toBe(bytes.length);
    const decode = { br: brotliDecompressSync, gzip: gunzipSync, identity: (body: Buffer) => body };
    expect(decode[expected === 'br' || expected === 'gzip' ? expected : 'identity'](bytes).toString()).toBe(SCRIPT);
  });

  test('unchanged files are not sent again, and each encoding has its own ETag', async () => {
    const { headers } = await hub.get('/assets/main-ABCDEFGH.js', { 'accept-encoding': 'br' });
    const known = { 'if-none-match': String(headers.etag) };
    expect(await hub.get('/assets/main-ABCDEFGH.js', { ...known, 'accept-encoding': 'br' })).toMatchObject({
      status: 304,
      body: '',
    });
    expect((await hub.get('/assets/main-ABCDEFGH.js', known)).status).toBe(200);
  });

  test('HEAD has the headers of GET and no body', async () => {
    const { status, headers, body } = await hub.send('HEAD', '/', HTML);
    expect({ status, length: headers['content-length'], body }).toEqual({
      status: 200,
      length: String(PAGE.length),
      body: '',
    });
  });
});

describe('without a pack', () => {
  let hub: Running;
  beforeAll(async () => (hub = await serve(undefined)));
  afterAll(() => hub.close());

  test('the page says how to build it', async () => {
    const { status, headers, body } = await hub.get('/', HTML);
    expect(status).toBe(503);
    expect(headers['content-type']).toContain('text/plain');
    expect(body).toContain('npm run build');
  });

  test('API clients are not affected', async () => {
    expect((await hub.get('/api/status', HTML)).status).toBe(404);
  });
});

type Reply = { status: number | undefined; headers: NodeJS.Dict<string | string[]>; bytes: Buffer; body: string };
type Headers = Record<string, string>;
type Running = {
  send(method: string, path: string, headers: Headers): Promise<Reply>;
  get(path: string, headers: Headers): Promise<Reply>;
  close(): void;
};

async function serve(pack: Uint8Array | undefined): Promise<Running> {
  const server = await listening(new Koa().use(consoleFiles(pack)));
  const port = portOf(server);
  const send = (method: string, path: string, headers: Headers) => ask(port, method, path, headers);
  return { send, get: (path, headers) => send('GET', path, headers), close: () => server.close() };
}

function listening(app: Koa): Promise<Server> {
  return new Promise((resolve) => {
    const server: Server = app.listen(0, '127.0.0.1', () => resolve(server));
  });
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port');
  return address.port;
}

function ask(port: number, method: string, path: string, headers: Headers): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const asking = request({ port, method, path, headers, agent: false }, async (response) => {
      const bytes = Buffer.concat(await response.toArray());
      resolve({ status: response.statusCode, headers: response.headers, bytes, body: bytes.toString() });
    });
    asking.on('error', reject).end();
  });
}

// Checks that a running hub responds on its port, or that the port is free for a stopped hub.
import { createServer } from 'node:net';
import type { Config } from '../../config/keys.ts';
import { type Finding, fail, ok, wordsOf } from '../../domain/health/finding.ts';
import { localUrl, PRIVILEGED_PORT } from '../../serve/addresses.ts';
import { probe } from './probe.ts';

const ANSWER_SECONDS = 5;

export async function checkAnswer(url: string): Promise<Finding> {
  try {
    const { status, body } = await probe(`${url}/health`, { timeoutSeconds: ANSWER_SECONDS, isLocal: true });
    if (status === 200) return ok('port', `${url} responds: agenthub ${String(body.version)}`);
    return fail('port', `${url} returned status ${status}`, 'check the log of the hub');
  } catch (error) {
    return fail('port', wordsOf(error), 'check the log of the hub and restart it');
  }
}

export async function checkFree(config: Config): Promise<Finding> {
  const code = await tryToListen(config);
  const url = localUrl(config);
  if (code === undefined) return ok('port', `${url} is free`);
  if (code === 'EADDRINUSE' && (await isHub(url))) return fail('port', `a hub responds at ${url}`, OF_DELETED_FILES);
  return fail(
    'port',
    `cannot listen on ${config.host}:${config.port} (${code})`,
    REMEDIES[code] ?? 'choose another with --host and --port',
  );
}

/** Stopping it would lose all data, if its data directory was deleted. */
const OF_DELETED_FILES =
  'if it was started with this data directory, its files were deleted or moved: do not stop it, and first see "When something is wrong" in OPERATING.md; otherwise choose another port with --port';

async function isHub(url: string): Promise<boolean> {
  try {
    const { status, body } = await probe(`${url}/health`, { timeoutSeconds: ANSWER_SECONDS, isLocal: true });
    return status === 200 && typeof body.version === 'string';
  } catch {
    return false;
  }
}

const REMEDIES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program uses it: stop that program, or choose another port with --port',
  EACCES: PRIVILEGED_PORT,
  EADDRNOTAVAIL: 'this machine does not have that address: choose another with --host',
};

function tryToListen({ host, port }: Config): Promise<string | undefined> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}

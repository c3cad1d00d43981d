// Checks that a running hub responds on its port, or that the port is free for a stopped hub.
import { createServer } from 'node:net';
import type { Config } from '../../config/keys.ts';
import { type Finding, fail, ok, warn, wordsOf } from '../../domain/health/finding.ts';
import { localUrl, PRIVILEGED_PORT } from '../../serve/addresses.ts';
import { isInUse } from '../../serve/data-directory.ts';
import { probe } from './probe.ts';

const ANSWER_SECONDS = 5;

export async function checkAnswer(url: string): Promise<Finding> {
  try {
    const { status, body } = await probe(`${url}/health`, { timeoutSeconds: ANSWER_SECONDS, isLocal: true });
    if (status === 200) return ok('port', `${url} responds: agenthub ${String(body.version)}`);
    const reason = typeof body.message === 'string' ? ` (${body.message})` : '';
    return fail('port', `${url} returned status ${status}${reason}`, 'check the log of the hub');
  } catch (error) {
    return fail('port', wordsOf(error), 'check the log of the hub and restart it');
  }
}

export async function checkFree(config: Config): Promise<Finding> {
  const code = await tryToListen(config);
  const url = localUrl(config);
  if (code === undefined) return ok('port', `${url} is free`);
  if (code === 'EADDRINUSE') {
    const responds = await isHub(url); // waits for one that is starting, which takes the lock after the port
    if (await isInUse(config.data))
      return responds
        ? restarted('has started')
        : fail('port', `the hub on this data directory holds ${url}, but does not respond`, OF_SILENT);
    if (responds) return fail('port', `a hub responds at ${url}`, OF_DELETED_FILES);
  }
  return fail(
    'port',
    `cannot listen on ${config.host}:${config.port} (${code})`,
    REMEDIES[code] ?? 'choose another with --host and --port',
  );
}

/** Not a problem: what doctor found is of a moment that has passed. */
export function restarted(what: 'has started' | 'has stopped'): Finding {
  return warn('port', `the hub on this data directory ${what} while doctor ran`, 'run doctor again in a few seconds');
}

const OF_SILENT = 'if it is starting, its log says what it waits for; if it hangs, restart it';

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

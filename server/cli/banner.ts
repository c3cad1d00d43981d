// What `serve` says once it listens: on a terminal a banner for a person, elsewhere one JSON log line each.
import type { Log } from '../hub.ts';

export type Listening = { version: string; url: string; data: string; isEmpty: boolean; setupToken: string | undefined };

export function banner(listening: Listening): string {
  const { version, url, data } = listening;
  return `
  agenthub ${version}

  Console   ${url}/
  MCP       ${url}/mcp
  Data      ${data}

  ${firstStep(listening)}
  Ctrl-C stops it.

`;
}

function firstStep({ url, isEmpty, setupToken }: Listening): string {
  if (!isEmpty) return 'Open the console and sign in.';
  if (setupToken === undefined) return 'First step: open the console and register; the first user becomes admin.';
  return `First step: register the admin at ${url}/#setup=${setupToken}`;
}

export function logListening(log: Log, { version, url, data, isEmpty, setupToken }: Listening): void {
  log.info({ version, url, mcp: `${url}/mcp`, data }, `agenthub listens on ${url}`);
  if (!isEmpty) return;
  const link = setupToken === undefined ? `${url}/` : `${url}/#setup=${setupToken}`;
  log.info({ url: link }, `no user yet: register the first one, who becomes admin, at ${link}`);
}

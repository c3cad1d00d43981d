// A hub as users run it: a real process on a free port with a data directory, both removed at the end of the test. Also
// runs the stories on each form of the hub.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, vi } from 'vitest';
import { type Ending, printed } from '../../../scripts/support/process.ts';
import { type Cleanup, cleanUpAfterTest, keepForInspection } from './failed-tests.ts';
import { ANY_TARGET, isBuilt, type Launch, launch, TARGETS, type Target } from './hub-process.ts';
import { ARE_SEVERAL, startHubs } from './hubs.ts';

export type RunningHub = {
  /** Without a trailing slash. */
  url: string;
  data: string;
  pid: number;
  output(): string;
  ended: Promise<Ending>;
  /** Sends the signal without waiting. */
  signal(signal: NodeJS.Signals): void;
  /** Sends the signal and waits for the exit. */
  kill(signal: NodeJS.Signals): Promise<Ending>;
  /** SIGTERM. Returns the exit code. */
  stop(): Promise<number | null>;
};

export type HubOptions = Launch & {
  /** Kept when given. Otherwise a temporary one, removed after the test. */
  data?: string;
  /** Registers cleanup. A hub that outlives a test needs another place for it. */
  atEnd?: (cleanup: Cleanup) => void;
};

const START_MS = 10_000;

/** Runs the tests on source and on the executable, where they differ. Without an executable, they are skipped. */
export function story(title: string, tests: (target: Target) => void): void {
  for (const target of TARGETS) {
    if (!isBuilt(target))
      process.stderr.write(
        `\n!!! "${title}" is SKIPPED on the executable: dist/agenthub is missing; run npm run build\n`,
      );
    describe.skipIf(!isBuilt(target))(`${title}, on ${target}`, () => tests(target));
  }
}

/** Runs the tests once, where both forms prove the same. */
export function storyOnce(title: string, tests: (target: Target) => void): void {
  describe(`${title}, on ${ANY_TARGET}`, () => tests(ANY_TARGET));
}

/** Resolves once the hub prints its address. */
export async function startHub(options: HubOptions): Promise<RunningHub> {
  const atEnd = options.atEnd ?? cleanUpAfterTest;
  const data = options.data ?? temporaryDirectory(atEnd);
  return ARE_SEVERAL
    ? startHubs({ ...options, data, atEnd }, (one) => startOne({ ...one, data: one.data ?? data, atEnd }))
    : startOne({ ...options, data, atEnd });
}

async function startOne(
  options: HubOptions & { data: string; atEnd: (cleanup: Cleanup) => void },
): Promise<RunningHub> {
  const { data, atEnd } = options;
  const hub = launch({ ...options, args: ['serve', '--port', '0', '--data', data, ...(options.args ?? [])] });
  atEnd(async (hasFailed) => {
    await hub.kill('SIGKILL');
    if (hasFailed) writeFileSync(join(data, `hub-${hub.pid}.log`), hub.output());
  });
  const url = await printed(hub, /"url":"([^"]+)","mcp":/, START_MS);
  return {
    url,
    data,
    kill: hub.kill,
    pid: hub.pid,
    output: hub.output,
    ended: hub.ended,
    signal: (signal) => void hub.child.kill(signal),
    stop: async () => (await hub.kill('SIGTERM')).code,
  };
}

/** The options of a hub that reads client addresses from a header and lets everyone register. */
export const BEHIND_A_PROXY = ['--trust-proxy', '1', '--registration', 'open'];

/** The setup token of a public hub without users. */
export function setupTokenOf({ output }: Pick<RunningHub, 'output'>): Promise<string> {
  return vi.waitFor(
    () => {
      const [, token] = /#setup=(\w+)/.exec(output()) ?? [];
      if (token === undefined) throw new Error('the hub has printed no setup link');
      return token;
    },
    { timeout: START_MS },
  );
}

export function temporaryDirectory(atEnd: (cleanup: Cleanup) => void = cleanUpAfterTest): string {
  const directory = mkdtempSync(join(tmpdir(), 'agenthub-story-'));
  atEnd(async (hasFailed) => {
    if (hasFailed) keepForInspection(directory);
    else rmSync(directory, { recursive: true, force: true });
  });
  return directory;
}

/** Runs a hub that is expected to fail, and waits for its exit. */
export async function runToItsEnd(options: Launch): Promise<Ending & { stdout: string; stderr: string }> {
  const hub = launch(options);
  const timer = setTimeout(() => hub.child.kill('SIGKILL'), START_MS);
  const ending = await hub.ended.finally(() => clearTimeout(timer));
  return { ...ending, stdout: hub.stdout(), stderr: hub.stderr() };
}

// The checks of the official conformance runner, for the newest revision of each era.
import { join } from 'node:path';
import { ROOT } from '../../build/step.ts';
import type { Check } from './check.ts';
import { type Output, RESULTS, runPeer } from './peers.ts';

const BASELINE = join(ROOT, 'test', 'conformance-baseline.yml');
const REVISIONS = ['2026-07-28', '2025-11-25'];
const NEEDS_SESSION = 'server-sse-multiple-streams';

/** `inSession` is the URL of a proxy that adds a session id. */
export function runnerChecks(url: string, inSession: string): Check[] {
  return [
    ...REVISIONS.map((revision) =>
      runnerCheck(`conformance ${revision}`, url, ['--requirements', revision, '--expected-failures', BASELINE]),
    ),
    // This scenario requires a session id, which the hub never sends, so the proxy adds one. All else is the hub's.
    runnerCheck(`conformance 2025-11-25 ${NEEDS_SESSION}, with a session of the proxy`, inSession, [
      '--scenario',
      NEEDS_SESSION,
      '--spec-version',
      '2025-11-25',
    ]),
  ];
}

function runnerCheck(name: string, url: string, args: readonly string[]): Check {
  return {
    name,
    run: async () => {
      const output = await runPeer('conformance', ['server', '--url', url, ...args, '--output-dir', RESULTS]);
      return { note: figuresIn(output.out), problem: problemIn(output) };
    },
  };
}

function problemIn({ code, out, err }: Output): string | undefined {
  return code === 0 ? undefined : `${out}${err}`;
}

/** The runner also counts failures that the baseline excuses or that the revision does not require. */
function figuresIn(out: string): string {
  const passed = /^(?:Total|Passed): (\d+)/m.exec(out)?.[1];
  return `${passed ?? 'no'} checks passed, ${out.match(/^ {2}~ /gm)?.length ?? 0} excused by the baseline`;
}

// config check: reports all problems that `serve` would find in the configuration, without starting anything.
import { ConfigError, type Effective } from '../config/config.ts';
import { readCertificate, transportWarnings } from '../serve/tls.ts';
import { unreadableByOwner, unreadableConfiguration } from './doctor/owner-access.ts';
import { EXIT } from './exit-codes.ts';
import { effectiveConfig, type GivenOptions } from './key-options.ts';
import { note, type OutputOptions, say, sayJson } from './output.ts';

type Verdict = { ok: boolean; problems: readonly string[]; warnings: readonly string[] };

export async function configCheck({ output, ...flags }: GivenOptions & OutputOptions): Promise<void> {
  const verdict = judge(flags);
  if (output === 'json') sayJson(verdict);
  else report(verdict);
  process.exitCode = verdict.ok ? EXIT.ok : EXIT.usage;
}

function judge(flags: GivenOptions): Verdict {
  try {
    const { config, warnings }: Effective = effectiveConfig(flags);
    const certificate = readCertificate(config);
    return {
      ok: true,
      problems: [],
      warnings: [
        ...warnings,
        ...transportWarnings(config, certificate),
        ...[...unreadableConfiguration(config.data), ...unreadableByOwner(config)].map(
          ({ problem, remedy }) => `${problem}; ${remedy}`,
        ),
      ],
    };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { ok: false, problems: error.problems, warnings: [] };
  }
}

function report({ ok, problems, warnings }: Verdict): void {
  [...problems, ...warnings].forEach(note);
  if (ok) say('the configuration is valid');
}

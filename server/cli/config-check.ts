// config check: reports all problems that `serve` would find in the configuration, and all warnings, without starting
// anything.
import { ConfigError } from '../config/config.ts';
import type { Config } from '../config/keys.ts';
import { type Certificate, readCertificate, transportWarnings, validityWarnings } from '../serve/tls.ts';
import { checkStart } from './doctor/files.ts';
import { unreadableByOwner, unreadableConfiguration } from './doctor/owner-access.ts';
import { EXIT } from './exit-codes.ts';
import { examinedConfig, type GivenOptions } from './key-options.ts';
import { note, type OutputOptions, say, sayJson } from './output.ts';

type Verdict = { ok: boolean; problems: readonly string[]; warnings: readonly string[] };

export async function configCheck({ output, ...flags }: GivenOptions & OutputOptions): Promise<void> {
  const verdict = judge(flags);
  if (output === 'json') sayJson(verdict);
  else report(verdict);
  process.exitCode = verdict.ok ? EXIT.ok : EXIT.usage;
}

function judge(flags: GivenOptions): Verdict {
  const { config, problems, warnings } = examinedConfig(flags);
  const { certificate, ofFiles } = certificateOf(config);
  const { data } = config;
  const all = [
    ...problems,
    ...ofFiles,
    ...(data === undefined
      ? []
      : [...checkStart(data), ...unreadableConfiguration(data), ...unreadableByOwner(data, config)].map(inOneLine)),
  ];
  return { ok: all.length === 0, problems: all, warnings: [...warnings, ...transportOf(config, certificate)] };
}

function certificateOf({ tls_cert, tls_key }: Partial<Config>): {
  certificate?: Certificate | undefined;
  ofFiles: readonly string[];
} {
  try {
    return { certificate: readCertificate({ tls_cert, tls_key }), ofFiles: [] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { ofFiles: error.problems };
  }
}

/** Without valid values, nothing can be said about the transport. What require_tls refuses is a problem already. */
function transportOf(config: Partial<Config>, certificate: Certificate | undefined): string[] {
  const { host, trust_proxy, require_tls } = config;
  if (require_tls === true) return certificate === undefined ? [] : validityWarnings(certificate);
  if (host === undefined || trust_proxy === undefined || !('tls_cert' in config && 'public_url' in config)) return [];
  return transportWarnings(
    { host, trust_proxy, tls_cert: config.tls_cert, public_url: config.public_url },
    certificate,
  );
}

function inOneLine({ says, remedy }: { says: string; remedy?: string }): string {
  return remedy === undefined ? says : `${says}; ${remedy}`;
}

function report({ ok, problems, warnings }: Verdict): void {
  [...problems, ...warnings].forEach(note);
  if (ok) say('the configuration is valid');
}

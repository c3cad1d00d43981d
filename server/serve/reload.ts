// SIGHUP reads the TLS certificate and the configuration again. Of the configuration, only the log level takes effect;
// the log names the other keys that changed. Invalid files change nothing.
import { isDeepStrictEqual } from 'node:util';
import { ConfigError, type Effective } from '../config/config.ts';
import { type Config, KEY_NAMES, type KeyName } from '../config/keys.ts';
import type { Log } from '../domain/log.ts';
import { systemClock } from '../domain/time/clock.ts';
import type { Listener } from './listener/listener.ts';
import { readCertificate, validityWarnings, whyInvalid } from './tls.ts';

type Reloadable = {
  /** As the hub was started. */
  config: Config;
  readAgain: () => Effective;
  listener: CertificateOf;
  log: Log;
  setLevel: (level: Config['log_level']) => void;
};

type CertificateOf = Pick<Listener, 'renew' | 'certificateEnd'>;

/** Returns what SIGHUP does. */
export function openReload({ config, readAgain, listener, log, setLevel }: Reloadable): () => void {
  let level = config.log_level;
  const apply = ({ config: fresh, warnings }: Effective): void => {
    const isNewLevel = fresh.log_level !== level;
    const waiting = KEY_NAMES.filter(
      (name) => !APPLIED.includes(name) && !isDeepStrictEqual(fresh[name], config[name]),
    );
    for (const warning of warnings) log.warn({}, warning);
    const report = (): void => log.info({ needs_restart: waiting }, describe(isNewLevel && fresh.log_level, waiting));
    // At the level that shows more, so that the change itself is logged.
    if (ORDER.indexOf(fresh.log_level) > ORDER.indexOf(level)) report();
    setLevel(fresh.log_level);
    if (ORDER.indexOf(fresh.log_level) <= ORDER.indexOf(level)) report();
    level = fresh.log_level;
  };
  return () => {
    renewCertificate(listener, config, log);
    try {
      apply(readAgain());
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      log.error({ problems: error.problems }, `the configuration was not reloaded: ${error.message}`);
    }
  };
}

const APPLIED: readonly KeyName[] = ['log_level'];
const ORDER: readonly Config['log_level'][] = ['debug', 'info', 'warn', 'error'];

function describe(level: string | false, waiting: readonly KeyName[]): string {
  const parts = [
    ...(level === false ? [] : [`log_level is now ${level}`]),
    ...(waiting.length === 0 ? [] : [`restart the hub to apply ${waiting.join(', ')}`]),
  ];
  return `configuration reloaded: ${parts.join('; ') || 'no setting changed'}`;
}

// If clients would reject the new certificate, the previous one stays in use, unless that has expired as well.
function renewCertificate(listener: CertificateOf, config: Config, log: Log): void {
  try {
    const certificate = readCertificate(config);
    if (certificate === undefined) return;
    const why = whyInvalid(certificate);
    if (why !== undefined && (listener.certificateEnd() ?? 0) > systemClock.now())
      return log.error({}, `the certificate in tls_cert ${why}; the previous one, which is valid, stays in use`);
    listener.renew(certificate);
    log.info({ valid_to: certificate.leaf.validTo }, 'certificate reloaded');
    for (const warning of validityWarnings(certificate)) log.warn({}, warning);
  } catch (error) {
    log.error({ err: error }, 'failed to reload the certificate; the previous one stays in use');
  }
}

// Checks the hub's own certificate: it is readable with its key, valid for some time, and issued for the public name.
import type { Config } from '../../config/keys.ts';
import { systemClock } from '../../domain/time/clock.ts';
import { DAY_MS, roughDuration } from '../../domain/time/time.ts';
import { readCertificate } from '../../serve/tls.ts';
import { type Finding, fail, ok, warn, wordsOf } from './finding.ts';

const SOON_MS = 14 * DAY_MS;

export function checkCertificate(config: Config): Finding[] {
  try {
    const certificate = readCertificate(config);
    return certificate === undefined
      ? []
      : [
          ...checkName(config, certificate.leaf.checkHost.bind(certificate.leaf)),
          checkEnd(Date.parse(certificate.leaf.validTo)),
        ];
  } catch (error) {
    return [fail('certificate', wordsOf(error), 'correct tls_cert and tls_key')];
  }
}

function checkName({ public_url }: Config, isFor: (name: string) => string | undefined): Finding[] {
  const name = public_url === undefined ? undefined : new URL(public_url).hostname;
  if (name === undefined || isFor(name) !== undefined) return [];
  return [fail('certificate', `it is not valid for ${name}`, 'use a certificate for the host name in public_url')];
}

function checkEnd(end: number): Finding {
  const left = end - systemClock.now();
  if (left <= 0)
    return fail(
      'certificate',
      `it expired ${roughDuration(-left)} ago`,
      'renew it, then systemctl reload agenthub (or SIGHUP)',
    );
  const says = `valid for another ${roughDuration(left)}`;
  return left < SOON_MS
    ? warn('certificate', says, 'renew it, then systemctl reload agenthub (or SIGHUP)')
    : ok('certificate', says);
}

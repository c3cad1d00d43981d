// Checks the hub's own certificate: it is readable with its key, valid for some time, and issued for the public name.
import type { Config } from '../../config/keys.ts';
import { type Finding, fail, wordsOf } from '../../domain/health/finding.ts';
import { expiryFinding } from '../../domain/health/findings.ts';
import { systemClock } from '../../domain/time/clock.ts';
import { readCertificate } from '../../serve/tls.ts';
import { unreadableByOwner } from './owner-access.ts';

export function checkCertificate(config: Config): Finding[] {
  try {
    const certificate = readCertificate(config);
    return certificate === undefined
      ? []
      : [
          ...unreadableByOwner(config.data, config).map(({ says, remedy }) => fail('certificate', says, remedy)),
          ...checkName(config, certificate.leaf.checkHost.bind(certificate.leaf)),
          expiryFinding(
            Date.parse(certificate.leaf.validTo),
            systemClock.now(),
            Date.parse(certificate.leaf.validFrom),
          ),
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

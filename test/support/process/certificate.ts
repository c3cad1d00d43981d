// A self-signed certificate, created by openssl where it is installed.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

/** Returns the paths of certificate and key. */
export function newCertificate(directory: string, name: string): [cert: string, key: string] {
  const [cert, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  openssl('req', '-x509', ...kind, '-keyout', key, '-out', cert, '-subj', `/CN=${name}`);
  return [cert, key];
}

/** Replaces the certificate of the key by one that was valid for a day. */
export function expireCertificate(directory: string): void {
  replaceCertificate(directory, '2020');
}

/** Replaces the certificate of the key by one that will be valid for a day. */
export function postponeCertificate(directory: string): void {
  replaceCertificate(directory, '2049');
}

function replaceCertificate(directory: string, year: string): void {
  const [cert, key, request, settings] = ['cert.pem', 'key.pem', 'request.pem', 'ca.conf'].map((name) =>
    join(directory, name),
  ) as [string, string, string, string];
  writeFileSync(join(directory, 'index.txt'), '');
  writeFileSync(
    settings,
    `[ca]\ndefault_ca=own\n[own]\ndatabase=${directory}/index.txt\nnew_certs_dir=${directory}\nrand_serial=yes\n` +
      'default_md=sha256\npolicy=any\n[any]\ncommonName=supplied\n',
  );
  openssl('req', '-new', '-key', key, '-out', request, '-subj', '/CN=expired.example');
  const dates = ['-startdate', `${year}0101000000Z`, '-enddate', `${year}0102000000Z`];
  const files = ['-config', settings, '-keyfile', key, '-in', request, '-out', cert];
  openssl('ca', '-batch', '-selfsign', '-notext', ...files, ...dates);
}

function openssl(...args: string[]): void {
  const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

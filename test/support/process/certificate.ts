// A self-signed certificate, created by openssl where it is installed.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

export const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

/** Returns the paths of certificate and key. */
export function newCertificate(directory: string, name: string): [cert: string, key: string] {
  const [cert, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const { status, stderr } = spawnSync(
    'openssl',
    ['req', '-x509', ...kind, '-keyout', key, '-out', cert, '-subj', `/CN=${name}`],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(stderr);
  return [cert, key];
}

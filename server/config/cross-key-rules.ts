// The rules that involve several keys.
import { isPublishedUnencrypted, isUnencrypted } from '../domain/addresses.ts';
import type { Config, KeyName } from './keys.ts';

type Rule<Name extends KeyName = KeyName> = {
  /** The keys that the rule reads. It is checked only if each is valid. */
  keys: readonly Name[];
  isValid: (config: Pick<Config, Name>) => boolean;
  problem: string;
};

/** Checks that a rule reads only the keys that it lists. */
function rule<Name extends KeyName>(each: Rule<Name>): Rule {
  return each;
}

export const CROSS_KEY_RULES: readonly Rule[] = [
  rule({
    keys: ['require_tls', 'host', 'trust_proxy', 'tls_cert'],
    isValid: (config) => !config.require_tls || !isUnencrypted(config),
    problem:
      'require_tls is true, but others could reach this hub over plain HTTP: set tls_cert and tls_key, set trust_proxy if a reverse proxy in front of the hub serves https, or listen on 127.0.0.1',
  }),
  rule({
    keys: ['require_tls', 'public_url'],
    isValid: ({ require_tls, public_url }) => !require_tls || !isPublishedUnencrypted({ public_url }),
    problem:
      'require_tls is true, but public_url begins with http: people would use the hub over plain HTTP; use its https address',
  }),
  rule({
    keys: ['tls_cert', 'tls_key'],
    isValid: ({ tls_cert, tls_key }) => (tls_cert === undefined) === (tls_key === undefined),
    problem: 'tls_cert and tls_key belong together: set both or neither',
  }),
  rule({
    keys: ['database', 'backup_schedule'],
    isValid: ({ database, backup_schedule }) => database === undefined || backup_schedule === 'off',
    problem:
      'backup_schedule makes backups of a database file, but database names a PostgreSQL database: leave it off, and back up that database with the tools of PostgreSQL',
  }),
  rule({
    keys: ['admin_username', 'admin_password'],
    isValid: ({ admin_username, admin_password }) => (admin_username === undefined) === (admin_password === undefined),
    problem: 'admin_username and admin_password belong together: set both or neither',
  }),
  rule({
    keys: ['metrics', 'metrics_token'],
    isValid: ({ metrics, metrics_token }) => metrics !== 'token' || metrics_token !== undefined,
    problem: 'metrics is "token" but metrics_token is not set',
  }),
];

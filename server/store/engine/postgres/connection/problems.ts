// Says why a database or one of its servers cannot be used, and what to do. No text has the password of the URL.
import { DatabaseError } from 'pg';
import { StartError } from '../../../../domain/errors.ts';
import { shownParts } from '../../../../domain/postgres-url.ts';
import { ServerError, Unreachable } from './errors.ts';

type Problem = { says: string; remedy: string };

/** With one line that says what is wrong and what to do. */
export function problemOf(error: unknown, url: string): StartError {
  if (error instanceof StartError) return error;
  if (error instanceof Unreachable && error.refusals.length > 1) return ofServers(error, url);
  const { servers, database, user } = shownParts(url);
  const { says, remedy } = problemAt(error instanceof Unreachable ? error.refusals[0] : error, user);
  return new StartError(`cannot use the database ${database} at ${servers}: ${says}`, remedy);
}

/** Each server has its own problem, unless all have the same. */
function ofServers({ refusals }: Unreachable, url: string): StartError {
  const { database, servers, user } = shownParts(url);
  const found = refusals.map((refusal) => ({ ...problemAt(refusal, user), ...refusal }));
  const remedies = [...new Set(found.map(({ remedy }) => remedy))];
  const [says] = new Set(found.map((problem) => problem.says));
  if (found.every((problem) => problem.says === says))
    return new StartError(`cannot use the database ${database} at ${servers}: ${says}`, remedies.join('; '));
  const described = found.map((problem) => `${problem.server} (${problem.says})`).join(', ');
  const isStandby = found.some(({ code }) => code === 'STANDBY');
  return new StartError(
    `cannot use the database ${database}, none of whose servers takes writes: ${described}`,
    isStandby ? 'start the server that takes writes, or promote a standby' : remedies.join('; '),
  );
}

/** What is wrong with one server, without its name and that of the database. `user` is that of the URL. */
export function problemAt(error: unknown, user: string): Problem {
  const at = error instanceof ServerError ? error : undefined;
  const cause = at === undefined ? error : at.cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  const code = at?.code ?? (cause instanceof Error && 'code' in cause ? String(cause.code) : '');
  const file = fileOf(cause);
  if (file !== undefined)
    return { says: `the file ${file} cannot be read (${code})`, remedy: 'correct the URL, which names it' };
  const shown = at?.user ?? (user === '' ? 'of this process' : user);
  if (code === '28000') return ofLogin(shown, message);
  return KNOWN[code]?.(shown, message) ?? ofMessage(message) ?? ofOther(cause, code, message);
}

function ofOther(cause: unknown, code: string, message: string): Problem {
  if (cause instanceof DatabaseError) return { says: message, remedy: 'see the log of the server' };
  if (code.startsWith('ERR_OSSL'))
    return { says: `a certificate or key of the URL is not valid (${sentenceOf(message)})`, remedy: PEM };
  if (/CERT|SELF_SIGNED|SIGNATURE/.test(code))
    return { says: `its certificate is not accepted (${sentenceOf(message)})`, remedy: UNTRUSTED };
  return { says: message, remedy: 'correct the URL, or see the log of the server' };
}

const PEM = 'name PEM files with sslrootcert, sslcert and sslkey';
const UNTRUSTED =
  'name the certificate of the authority that signed it with sslrootcert=FILE in the URL; sslmode=no-verify encrypts without this check';
const NO_ENCRYPTION =
  'set ssl = on on the server, or sslmode=disable in the URL if you trust the network between here and the server';
const NOT_THERE = 'correct the host and the port of the URL';

const KNOWN: Readonly<Record<string, (user: string, message: string) => Problem>> = {
  ECONNREFUSED: () => ({ says: 'nothing listens there', remedy: 'start PostgreSQL, or correct the URL' }),
  ENOTFOUND: () => ({ says: 'the host name is unknown', remedy: 'correct the URL' }),
  EAI_AGAIN: () => ({ says: 'the name server does not answer', remedy: 'check the DNS settings of this machine' }),
  EHOSTUNREACH: () => ({ says: 'there is no route to it', remedy: 'check the network and the address' }),
  ENETUNREACH: () => ({ says: 'there is no route to it', remedy: 'check the network and the address' }),
  ETIMEDOUT: () => ({
    says: 'it does not answer within two seconds',
    remedy: 'check the address, and whether a firewall blocks the port',
  }),
  SILENT: () => ({
    says: 'a program accepts connections there, but does not answer within two seconds',
    remedy: `if it is PostgreSQL, it hangs or is overloaded; otherwise ${NOT_THERE}`,
  }),
  NOT_POSTGRES: () => ({ says: 'the program that listens there is not PostgreSQL', remedy: NOT_THERE }),
  CLOSED: () => ({
    says: 'the connection is closed without an answer',
    remedy: 'check that PostgreSQL listens there, and see its log',
  }),
  NO_PASSWORD: (user) => ({
    says: `the server asks for the password of the user ${user}, and the URL has none`,
    remedy: `write postgres://${user}:PASSWORD@…, best in a file that AGENTHUB_DATABASE_FILE names`,
  }),
  '28P01': (user) => ({
    says: `wrong password of the user ${user}, or there is no such user`,
    remedy: 'correct the URL, or set the password with ALTER ROLE … PASSWORD',
  }),
  '3D000': () => ({ says: 'it does not exist', remedy: 'create it with createdb' }),
  '42501': (user, message) => ({
    says: `the user ${user} lacks a privilege: ${message}`,
    remedy: 'use the user who owns the database and its tables',
  }),
  STANDBY: () => ({ says: 'it is a standby', remedy: 'name the server that takes writes, or promote the standby' }),
  REPLACED: () => ({
    says: 'another server has taken its place',
    remedy: 'stop it, and start the one that has taken its place',
  }),
  '25006': () => ({ says: 'it is read-only', remedy: 'name the server that takes writes' }),
  '55P03': () => ({
    says: 'something else holds its tables, such as a backup',
    remedy: 'try again when it has ended',
  }),
  '53300': (_, message) => ({
    says: `the server has no free connection (${sentenceOf(message)})`,
    remedy: 'allow ten for each hub: raise max_connections, or the limit of the user or of the database',
  }),
  '57P03': (_, message) => ({
    says: sentenceOf(message),
    remedy: 'try again when the server accepts connections; its log says how far it is',
  }),
  ERR_TLS_CERT_ALTNAME_INVALID: (_, message) => ({
    says: `its certificate is for another name (${sentenceOf(message)})`,
    remedy: 'use a name of the certificate in the URL',
  }),
  CERT_HAS_EXPIRED: () => ({ says: 'its certificate has expired', remedy: 'renew it on the server' }),
};

/** `28000` has many causes. Their messages may be in another language, but names of files are not translated. */
function ofLogin(user: string, message: string): Problem {
  if (!message.includes('pg_hba.conf'))
    return {
      says: `the server refuses the user ${user} (${message})`,
      remedy: 'create the user with LOGIN, or correct the URL',
    };
  const remedy = 'allow the user, the database and this machine there, and reload the server';
  return {
    says: `the server does not let the user ${user} in from here (${message})`,
    remedy: message.includes('no encryption') ? `${remedy}, or set sslmode=verify-full in the URL` : remedy,
  };
}

/** Those that the driver creates have no code. */
function ofMessage(message: string): Problem | undefined {
  if (message.includes('does not support SSL'))
    return { says: 'the server offers no encryption', remedy: NO_ENCRYPTION };
  if (message === 'Query read timeout')
    return {
      says: 'a statement has no answer after ten seconds',
      remedy: 'agenthub doctor shows whether the server waits for a standby; otherwise see its log',
    };
  if (message.startsWith('Connection terminated')) return { says: 'the connection was lost', remedy: 'try again' };
  return undefined;
}

/** The file of a certificate or key that could not be opened. */
function fileOf(error: unknown): string | undefined {
  return error instanceof Error && 'syscall' in error && error.syscall === 'open' && 'path' in error
    ? String(error.path)
    : undefined;
}

/** Within another sentence. Advice of Node names options that agenthub does not have. */
function sentenceOf(message: string): string {
  return message.replace(/;.*$/s, '').replace(/[.\s]+$/, '');
}

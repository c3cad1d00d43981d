// The URL of a PostgreSQL database. It may name several servers, one of which takes writes:
// `postgres://user@one.example.org:5432,two.example.org/agenthub`.
import { isLoopbackName, nameOf } from './addresses.ts';

export function isPostgres(database: string): boolean {
  return /^postgres(ql)?:\/\//.test(database);
}

/** A URL for each of its servers. */
export function serversOf(url: string): string[] {
  const [, start = '', hosts = '', rest = ''] = PARTS.exec(url) ?? [];
  return hosts.split(',').map((host) => `${start}${host}${rest}`);
}

const PARTS = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/s;

/** Each of its servers is one, and it names a database. */
export function isPostgresUrl(text: string): boolean {
  return isPostgres(text) && serversOf(text).every((url) => URL.canParse(url) && isWhole(new URL(url)));
}

/** What `pg` reads of the part after the `?`, with its values; undefined if any text is one. */
const PARAMETERS: Readonly<Record<string, readonly string[] | undefined>> = {
  sslmode: ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'],
  ssl: ['true', '1', '0', 'no-verify'],
  sslnegotiation: ['postgres', 'direct'],
  uselibpqcompat: ['true', 'false'],
  sslrootcert: undefined,
  sslcert: undefined,
  sslkey: undefined,
  application_name: undefined,
};
/** Of `libpq`, as managed databases put them into their URLs. They have no effect here. */
const IGNORED: readonly string[] = ['channel_binding', 'connect_timeout', 'gssencmode', 'target_session_attrs'];

/**
 * What is wrong with the part after the `?`, as the end of a sentence that begins with "must be"; undefined if nothing
 * is. An unknown name is not ignored: it may be a misspelled `sslmode`, without which nothing is encrypted.
 */
export function parameterProblem(url: string): string | undefined {
  const { searchParams } = new URL(serversOf(url)[0] ?? url);
  for (const [name, value] of searchParams) {
    if (IGNORED.includes(name)) continue;
    if (!Object.hasOwn(PARAMETERS, name))
      return `a URL without the parameter ${name}; it may have ${Object.keys(PARAMETERS).join(', ')}`;
    const words = PARAMETERS[name];
    if (value === '' || words?.includes(value) === false)
      return `a URL whose ${name} is ${words === undefined ? 'not empty' : `one of ${words.join(', ')}`}`;
    if (searchParams.getAll(name).length > 1) return `a URL that has ${name} once`;
  }
  if (searchParams.has('sslcert') !== searchParams.has('sslkey'))
    return 'a URL with both sslcert and sslkey, or neither';
  return undefined;
}

/** Whether the URL says if connections are encrypted. Otherwise they are not, unless the environment says so. */
export function choosesEncryption(url: string): boolean {
  const { searchParams } = new URL(serversOf(url)[0] ?? url);
  return ['sslmode', 'ssl', 'sslnegotiation'].some((name) => searchParams.has(name));
}

/** Whether all of its servers have loopback addresses. */
export function isOnThisMachine(url: string): boolean {
  return serversOf(url).every((server) => isLoopbackName(nameOf(new URL(server).host)));
}

/** A second `/` or an `@` after the host belongs to a password that is not percent-encoded, which must not be shown. */
function isWhole({ hostname, pathname }: URL): boolean {
  return hostname !== '' && /^\/[^/@]+$/.test(pathname);
}

/** The parts that may be shown: no password. */
export function shownParts(url: string): { servers: string; database: string; user: string } {
  const urls = serversOf(url).map((each) => new URL(each));
  const [first] = urls;
  return {
    servers: urls.map(({ host }) => host).join(', '),
    database: decodeURIComponent(first?.pathname.slice(1) ?? ''),
    user: decodeURIComponent(first?.username ?? ''),
  };
}

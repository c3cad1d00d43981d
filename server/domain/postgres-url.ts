// The URL of a PostgreSQL database. It may name several servers, one of which takes writes:
// `postgres://user@one.example.org:5432,two.example.org/agenthub`.

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

function isWhole({ hostname, pathname }: URL): boolean {
  return hostname !== '' && pathname.length > 1;
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

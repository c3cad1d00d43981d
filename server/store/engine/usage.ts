// Fair queueing (WF2Q+): which of the tenants and users that wait for the database comes first. Each has a tag, which
// advances by the time it uses, and a shared clock advances by each party's equal share. Those whose tag has been
// reached come first, the shortest expected call before others. So a party that uses little never waits for a round of
// all the busy ones, waiting earns no credit, and time used while alone costs nothing.

/** The party that work is charged to: a tenant, and the user who requested it, if any. */
export type Party = { tenant: string; user?: string };

export type Usage = {
  /** The tag of the tenant, or of the user in all tenants, whichever is more, in milliseconds; not before the clock. */
  tagOf(party: Party): number;
  /** The shared clock. */
  clock(): number;
  /** Called before each group with the number of tenants that wait and the least of their tags. */
  begin(tenants: number, leastTag: number): void;
  /** The average milliseconds of one call of the tenant. */
  costOf(tenant: string): number;
  charge(party: Party, milliseconds: number): void;
  /** Called when nobody waits anymore: all start again at the same tag. */
  restart(): void;
  /** Limits a group of calls that run one after the other. */
  openSlice(maxMs: number): Slice;
};

export type Slice = {
  /**
   * Charges the time since the last charge or the start, and the milliseconds that the calls will cost later, in equal
   * parts. Returns whether the slice is used up by both.
   */
  isOverAfter(parties: readonly Party[], laterMs?: number): boolean;
  /** Charges the same time in equal parts. */
  divideAmong(parties: readonly Party[]): void;
};

/** The minimum charge, so that tenants whose calls take no measurable time alternate. */
const LEAST_MS = 0.001;
/** Weight of the latest call in the moving average of costs. */
const WEIGHT = 1 / 8;
/** Beyond this number all start again, which bounds the memory. */
const MAX_ACCOUNTS = 10_000;

type Account = { tag: number; cost: number };

/** `elapsed` returns milliseconds of a monotonic clock. */
export function openUsage(elapsed: () => number): Usage {
  const accounts = new Map<string, Account>();
  let clock = 0;
  let lastTag = 0;
  let waiting = 1;
  const tagOfId = (id: string): number => Math.max(clock, accounts.get(id)?.tag ?? 0);
  const add = (id: string, milliseconds: number): void => {
    const account = accounts.get(id) ?? { tag: 0, cost: milliseconds };
    account.tag = Math.max(clock, account.tag) + milliseconds;
    account.cost += (milliseconds - account.cost) * WEIGHT;
    lastTag = Math.max(lastTag, account.tag);
    accounts.set(id, account);
  };
  const charge = ({ tenant, user = tenant }: Party, milliseconds: number): void => {
    const charged = Math.max(milliseconds, LEAST_MS);
    add(tenant, charged);
    if (user !== tenant) add(user, charged);
    clock += charged / waiting;
    if (accounts.size > MAX_ACCOUNTS) accounts.clear();
  };
  return {
    tagOf: ({ tenant, user = tenant }) => Math.max(tagOfId(tenant), tagOfId(user)),
    clock: () => clock,
    begin: (tenants, leastTag) => {
      waiting = Math.max(1, tenants);
      clock = Math.max(clock, leastTag);
    },
    costOf: (tenant) => accounts.get(tenant)?.cost ?? LEAST_MS,
    charge,
    restart: () => {
      clock = lastTag;
    },
    openSlice: (maxMs) => {
      let last = elapsed();
      let end = last + maxMs;
      const divide = (parties: readonly Party[], laterMs: number): void => {
        const before = last;
        last = elapsed();
        const part = (last - before + laterMs) / parties.length;
        for (const party of parties) charge(party, part);
      };
      return {
        isOverAfter: (parties, laterMs = 0) => {
          divide(parties, laterMs);
          end -= laterMs;
          return last >= end;
        },
        divideAmong: (parties) => divide(parties, 0),
      };
    },
  };
}

// How much of the database's time each tenant and each user has taken lately. A queue serves those who took least
// first, so a single call of one does not wait for the many or the long ones of another, whichever networks these are
// spread over.

/** Whose work it is: a tenant, and the user who asked for it, if one did. */
export type Party = { tenant: string; user?: string };

export type Usage = {
  /** Milliseconds taken lately by the tenant or by the user in all tenants, whichever is more. */
  of(party: Party): number;
  /** Milliseconds that one call of the tenant takes on average. */
  costOf(tenant: string): number;
  charge(party: Party, milliseconds: number): void;
  /** Bounds a group of calls that run one after the other. */
  openSlice(maxMs: number): Slice;
};

export type Slice = {
  /** Charges the time since the last charge, or since the beginning. Returns whether the slice is used up. */
  isOverAfter(party: Party): boolean;
  /** Charges the same time in equal parts. */
  divideAmong(parties: readonly Party[]): void;
};

/** Half of what was taken is forgotten in this time. */
const HALF_LIFE_MS = 1_000;
/** Charged at least, so that tenants whose calls take no measurable time alternate. */
const LEAST_MS = 0.001;
/** Weight of the latest call in the moving average of costs. */
const WEIGHT = 1 / 8;
/** Records may grow by so many before those that are forgotten are removed. */
const GROWTH = 1_000;

/** `spent` as it was at `at`. */
type Account = { spent: number; at: number; cost: number };

/** `elapsed` in milliseconds of a monotonic clock. */
export function openUsage(elapsed: () => number): Usage {
  const accounts = new Map<string, Account>();
  let maxSize = GROWTH;
  const spentBy = (account: Account | undefined, now: number): number =>
    account === undefined ? 0 : account.spent * 2 ** ((account.at - now) / HALF_LIFE_MS);
  const add = (id: string, milliseconds: number, now: number): void => {
    const account = accounts.get(id);
    if (account === undefined) accounts.set(id, { spent: milliseconds, at: now, cost: milliseconds });
    else {
      account.spent = spentBy(account, now) + milliseconds;
      account.at = now;
      account.cost += (milliseconds - account.cost) * WEIGHT;
    }
  };
  const removeForgotten = (now: number): void => {
    for (const [id, account] of accounts) if (spentBy(account, now) < LEAST_MS) accounts.delete(id);
    maxSize = 2 * accounts.size + GROWTH;
  };
  const charge = ({ tenant, user }: Party, milliseconds: number): void => {
    const now = elapsed();
    const charged = Math.max(milliseconds, LEAST_MS);
    add(tenant, charged, now);
    if (user !== undefined && user !== tenant) add(user, charged, now);
    if (accounts.size > maxSize) removeForgotten(now);
  };
  return {
    of: ({ tenant, user }) => {
      const now = elapsed();
      const ofTenant = spentBy(accounts.get(tenant), now);
      return user === undefined ? ofTenant : Math.max(ofTenant, spentBy(accounts.get(user), now));
    },
    costOf: (tenant) => accounts.get(tenant)?.cost ?? LEAST_MS,
    charge,
    openSlice: (maxMs) => {
      let last = elapsed();
      const end = last + maxMs;
      const sinceLast = (): number => {
        const before = last;
        last = elapsed();
        return last - before;
      };
      return {
        isOverAfter: (party) => {
          charge(party, sinceLast());
          return last >= end;
        },
        divideAmong: (parties) => {
          const part = sinceLast() / parties.length;
          for (const party of parties) charge(party, part);
        },
      };
    },
  };
}

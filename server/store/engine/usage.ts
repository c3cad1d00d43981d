// Tracks how much database time each tenant and each user took recently. The queue serves those who took least first,
// so a single call does not wait for many or long calls of others, regardless of the networks these use.

/** The party that work is charged to: a tenant, and the user who requested it, if any. */
export type Party = { tenant: string; user?: string };

export type Usage = {
  /** Milliseconds recently taken by the tenant, or by the user in all tenants, whichever is more. */
  of(party: Party): number;
  /** The average milliseconds of one call of the tenant. */
  costOf(tenant: string): number;
  charge(party: Party, milliseconds: number): void;
  /** Limits a group of calls that run one after the other. */
  openSlice(maxMs: number): Slice;
};

export type Slice = {
  /** Charges the time since the last charge or the start. Returns whether the slice is used up. */
  isOverAfter(party: Party): boolean;
  /** Charges the same time in equal parts. */
  divideAmong(parties: readonly Party[]): void;
};

/** Past usage decays by half in this time. */
const HALF_LIFE_MS = 1_000;
/** The minimum charge, so that tenants whose calls take no measurable time alternate. */
const LEAST_MS = 0.001;
/** Weight of the latest call in the moving average of costs. */
const WEIGHT = 1 / 8;
/** The number of new records before decayed ones are removed. */
const GROWTH = 1_000;

/** `spent` is the value at time `at`. */
type Account = { spent: number; at: number; cost: number };

/** `elapsed` returns milliseconds of a monotonic clock. */
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

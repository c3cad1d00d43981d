// The hub's memory of addresses is bounded, and expires.
import { type Hub, until } from '../hub.ts';
import { expectSame, type Row } from '../row.ts';
import { floodFrom, PROXIED, residentBytes } from './addresses.ts';

/** Half of it is what any flood of requests leaves until garbage collection. */
const MAX_GROWTH_BYTES = 200e6;
const FLOODERS = 4;
const FORGOTTEN_MS = 150_000;

export const manyAddresses: Row = {
  name: 'many-addresses',
  promise: 'a flood from many addresses has a bounded cost',
  test: (count) => `${count} distinct X-Forwarded-For behind one trusted proxy`,
  target: `memory grows by < ${MAX_GROWTH_BYTES / 1e6} MB, however many`,
  amounts: { least: 5_000, quick: 20_000, long: 400_000 },
  isAlone: true,
  run: async (trial) => {
    const hub = await trial.start({ args: PROXIED });
    const before = residentBytes(hub.pid);
    const rejected = await flood(hub, addresses(trial.amount));
    const grown = Math.round((residentBytes(hub.pid) - before) / 1e6);
    const forgotten = trial.size === 'long' ? await addressesForgotten(hub) : undefined;
    return {
      figure: `${grown} MB${forgotten === undefined ? '' : `, ${forgotten} forgotten`}`,
      complaints: [
        ...expectSame('answered 400', rejected, trial.amount),
        ...(grown * 1e6 < MAX_GROWTH_BYTES ? [] : [`memory grew by ${grown} MB`]),
        ...(forgotten === 0 ? ['no address was ever forgotten'] : []),
      ],
    };
  },
};

function addresses(count: number): string[] {
  return Array.from({ length: count }, (_, number) => `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`);
}

/** Returns how many failed logins got a 400. */
async function flood(hub: Hub, from: readonly string[]): Promise<number> {
  const each = Math.ceil(from.length / FLOODERS);
  const counts = await Promise.all(
    Array.from({ length: FLOODERS }, (_, lane) => floodFrom(hub, from.slice(lane * each, (lane + 1) * each), 400)),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/** As the hub counts it. */
async function addressesForgotten(hub: Hub): Promise<number> {
  const forgotten = async (): Promise<number> => {
    const metrics = await (await fetch(`${hub.url}/metrics`)).text();
    return Number(/^agenthub_sweep_rows_total\{sweep="forget-addresses"\} (\d+)$/m.exec(metrics)?.[1] ?? 0);
  };
  await until(async () => (await forgotten()) > 0, FORGOTTEN_MS, 500).catch(() => {});
  return forgotten();
}

// When memory is nearly used up, connections of those who have the most are closed until it is not, the newest first,
// and the process survives. The test triggers each check.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { MEBIBYTE } from '../../server/domain/limits.ts';
import { type MemoryUse, type PressureWatch, watchMemory } from '../../server/serve/listener/memory-pressure.ts';
import { startElsewhere } from '../support/process/other-process.ts';

const MEMORY = 1_000 * MEBIBYTE;
const CALM: MemoryUse = {
  heap: 300 * MEBIBYTE,
  heapLimit: 1_000 * MEBIBYTE,
  external: 50 * MEBIBYTE,
  resident: 400 * MEBIBYTE,
  isCollected: true,
};

type Watched = PressureWatch & {
  use: MemoryUse;
  collections: number;
  trims: number;
  closed: number;
  connect(number: number): Promise<Socket[]>;
};

/** A server whose memory usage is set by the test. */
async function watched(
  holderOf = (_socket: Socket): string => '',
  isStranger = (_socket: Socket): boolean => false,
): Promise<Watched> {
  const server = createServer();
  const fixture = { use: CALM, collections: 0, trims: 0, closed: 0 };
  const watch = watchMemory(server, {
    memory: MEMORY,
    use: () => fixture.use,
    collect: () => (fixture.collections += 1),
    trim: () => (fixture.trims += 1),
    onClosed: () => (fixture.closed += 1),
    holderOf,
    isStranger,
  });
  watch.stop(); // the test triggers the checks
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const open = async (number: number): Promise<Socket[]> => {
    const all: Socket[] = [];
    while (all.length < number) {
      // One after the other, because their order matters.
      const accepted = once(server, 'connection');
      const socket = connect(port, '127.0.0.1').on('error', () => {});
      onTestFinished(() => void socket.destroy());
      await accepted;
      all.push(socket);
    }
    return all;
  };
  return Object.assign(fixture, watch, { connect: open });
}

const areClosed = (sockets: readonly Socket[]) =>
  Promise.all(sockets.map((socket) => socket.closed || once(socket.resume(), 'close')));
const areOpen = (sockets: readonly Socket[]) => sockets.every((socket) => !socket.closed);

test('buffers are collected when they have grown by a tenth of memory, and much of it is used', async () => {
  const hub = await watched();
  hub.look();
  hub.use = { ...CALM, resident: 700 * MEBIBYTE, external: 149 * MEBIBYTE, isCollected: false };
  hub.look();
  expect(hub.collections).toBe(0);
  hub.use = { ...hub.use, external: 151 * MEBIBYTE };
  hub.look();
  expect(hub.collections).toBe(1);
  hub.look();
  expect(hub.collections).toBe(1);
  hub.use = { ...hub.use, external: 300 * MEBIBYTE, resident: 400 * MEBIBYTE };
  hub.look();
  expect([hub.collections, hub.closed]).toEqual([1, 0]);
});

test('while connections are closed, a client with few others may open one', async () => {
  const flood = new WeakSet<Socket>();
  let isFlood = true;
  const hub = await watched((socket) => {
    if (isFlood) flood.add(socket);
    return flood.has(socket) ? 'flood' : 'newcomer';
  });
  await hub.connect(8);
  isFlood = false;
  hub.use = { ...CALM, resident: 900 * MEBIBYTE };
  hub.look();
  const before = hub.closed;
  expect(before).toBeGreaterThan(0);
  await hub.connect(4);
  expect(hub.closed).toBe(before);
  await hub.connect(1);
  expect(hub.closed).toBe(before + 1);
});

describe('freed memory is given back', () => {
  /** So many checks, after which the sum of all trims is returned. */
  const trimsAfter = (hub: Watched, looks: number, resident: number): number => {
    hub.use = { ...CALM, resident: resident * MEBIBYTE, isCollected: false };
    for (let look = 0; look < looks; look += 1) hub.look();
    return hub.trims;
  };

  test('every ten seconds, whatever happens', async () => {
    const hub = await watched();
    expect(trimsAfter(hub, 99, 400)).toBe(0);
    expect(trimsAfter(hub, 1, 400)).toBe(1);
    expect(trimsAfter(hub, 99, 300)).toBe(1);
    expect(trimsAfter(hub, 1, 300)).toBe(2);
  });

  test('once a second while it grows', async () => {
    const hub = await watched();
    expect(trimsAfter(hub, 1, 400)).toBe(0);
    expect(trimsAfter(hub, 8, 433)).toBe(0);
    expect(trimsAfter(hub, 1, 433)).toBe(1);
    expect(trimsAfter(hub, 20, 433 + 32)).toBe(1);
    expect(trimsAfter(hub, 1, 433 + 33)).toBe(2);
  });

  test('at once while it grows and is scarce, and with every collection', async () => {
    const hub = await watched();
    expect(trimsAfter(hub, 1, 600)).toBe(0);
    expect(trimsAfter(hub, 1, 633)).toBe(1);
    expect(trimsAfter(hub, 1, 633)).toBe(1);
    expect(trimsAfter(hub, 1, 666)).toBe(2);
    hub.use = { ...hub.use, external: 200 * MEBIBYTE };
    hub.look();
    expect([hub.collections, hub.trims]).toEqual([1, 3]);
  });
});

describe('what is closed', () => {
  const cases: [string, Partial<MemoryUse>, number][] = [
    ['nothing while memory is left', {}, 0],
    ['nothing of a heap that holds garbage', { heap: 890 * MEBIBYTE, isCollected: false }, 0],
    ['nothing at exactly the heap limit', { heap: 700 * MEBIBYTE }, 0],
    ['a quarter when a collected heap exceeds its limit by a quarter', { heap: 800 * MEBIBYTE }, 3],
    [
      'a larger share of a heap so full that it is collected immediately',
      { heap: 960 * MEBIBYTE, isCollected: false },
      5,
    ],
    ['nothing at exactly the resident limit', { resident: 850 * MEBIBYTE }, 0],
    ['one in seven when resident memory exceeds the limit by as much', { resident: 892.5 * MEBIBYTE }, 2],
  ];
  test.each(cases)('%s', async (_what, use, expected) => {
    const fixture = await watched();
    const all = await fixture.connect(12);
    fixture.use = { ...CALM, ...use };
    fixture.look();
    await areClosed(all.slice(12 - expected));
    expect(fixture.closed).toBe(expected);
    expect(areOpen(all.slice(0, 12 - expected))).toBe(true);
  });

  test('the newest of those who have the most, and none of others who came later', async () => {
    const others = new Set<number | undefined>();
    const fixture = await watched(({ remotePort }) => (others.has(remotePort) ? 'other' : 'flood'));
    const flood = await fixture.connect(10);
    const later = await fixture.connect(2);
    for (const { localPort } of later) others.add(localPort);
    fixture.use = { ...CALM, heap: 800 * MEBIBYTE };
    fixture.look();
    await areClosed(flood.slice(7));
    expect(fixture.closed).toBe(3);
    expect(areOpen([...flood.slice(0, 7), ...later])).toBe(true);
  });

  test.each([
    ['a flood of strangers from many addresses before a user with several', 9, 3, 0],
    ['the newest of a user with most connections before a few strangers', 2, 10, 3],
  ])('%s', async (_, strangers, ofUser, expected) => {
    const flood = new Set<number | undefined>();
    const isStranger = ({ remotePort }: Socket): boolean => flood.has(remotePort);
    const fixture = await watched(
      (socket) => (isStranger(socket) ? `address ${socket.remotePort}` : 'user'),
      isStranger,
    );
    const first = await fixture.connect(strangers);
    for (const { localPort } of first) flood.add(localPort);
    const later = await fixture.connect(ofUser);
    fixture.use = { ...CALM, heap: 800 * MEBIBYTE };
    fixture.look();
    for (const socket of [...first, ...later]) socket.resume(); // or the end is not noticed
    await expect.poll(() => [...first, ...later].filter(({ closed }) => closed).length).toBe(3);
    expect(later.filter(({ closed }) => closed)).toEqual(later.slice(ofUser - expected));
  });

  // What fills the heap then belongs to no connection. The hub would be unreachable for good.
  test('no more of a heap that stays full, until it grows again', async () => {
    const fixture = await watched();
    const all = await fixture.connect(12);
    fixture.use = { ...CALM, heap: 800 * MEBIBYTE };
    fixture.look();
    await areClosed(all.slice(9));
    for (let look = 0; look < 5; look++) fixture.look();
    expect([fixture.closed, fixture.collections]).toEqual([3, 1]);
    fixture.use = { ...CALM, heap: 850 * MEBIBYTE };
    fixture.look();
    expect(fixture.closed).toBeGreaterThan(3);
  });
});

test('connections opened between a closure and the next check are closed, later ones stay', async () => {
  const fixture = await watched();
  await fixture.connect(8);
  fixture.use = { ...CALM, heap: 800 * MEBIBYTE };
  fixture.look();
  await areClosed(await fixture.connect(2));
  expect(fixture.closed).toBe(4);
  fixture.use = CALM;
  fixture.look();
  expect(fixture.collections).toBe(1);
  const late = await fixture.connect(2);
  fixture.look();
  expect([fixture.closed, areOpen(late)]).toEqual([4, true]);
});

test('memory retained by the allocator closes no further connections, growth beyond it does', async () => {
  const fixture = await watched();
  await fixture.connect(15);
  const lookAt = (resident: number): number => {
    fixture.use = { ...CALM, resident: resident * MEBIBYTE };
    fixture.look();
    return fixture.closed;
  };
  const atFirst = lookAt(880);
  expect(atFirst).toBeGreaterThan(0);
  expect([lookAt(880), lookAt(895)]).toEqual([atFirst, atFirst]);
  const grown = lookAt(900);
  expect(grown).toBeGreaterThan(atFirst);
  lookAt(600);
  expect(lookAt(880)).toBeGreaterThan(grown); // forgets the tolerated level
});

const GUARDED = `
  import { createServer } from 'node:net';
  import { watchMemory } from ${JSON.stringify(fileURLToPath(new URL('../../server/serve/listener/memory-pressure.ts', import.meta.url)))};
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.held = Array.from({ length: 2_000 }, (_, index) => ({ index, of: socket }));
    socket.write('held');
  });
  watchMemory(server, { memory: 4 * 1024 ** 3, onClosed: () => {} });
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
`;

test('a process whose connections need more than its heap survives, and the first connections stay', async () => {
  const child = await startElsewhere(GUARDED, [], ['--max-old-space-size=64', '--max-semi-space-size=1']);
  const port = Number(child.firstWords);
  const open = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    onTestFinished(() => void socket.destroy());
    await Promise.race([once(socket, 'data'), once(socket, 'close')]).catch(() => {}); // a reset is also an end
    return socket;
  };
  const all: Socket[] = [];
  while (all.length < 1_000) all.push(await open());
  expect(child.exitCode).toBe(null);
  expect(areOpen(all.slice(0, 20))).toBe(true);
  await expect.poll(() => all.filter(({ closed }) => closed).length).toBeGreaterThan(300);
});

// When a slow event stream reader is disconnected, tested with Node's own response on a socket whose reads the test
// controls.
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { StreamEvent } from '../../../server/domain/events.ts';
import { STREAM_BACKLOG_BYTES, STREAM_IDLE_MS, STREAM_STUCK_MS } from '../../../server/domain/limits.ts';
import { writerTo } from '../../../server/http/streams/stream-writer.ts';

const EVENT_BYTES = 64 * 1024;
const MEBIBYTE = STREAM_BACKLOG_BYTES / EVENT_BYTES;

type Wire = { take(): void; takesAll: boolean };

function open() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const waiting: (() => void)[] = [];
  const wire: Wire = { takesAll: false, take: () => waiting.splice(0).forEach((taken) => taken()) };
  const socket = new Duplex({
    read: () => {},
    write: (_chunk, _encoding, taken) => (wire.takesAll ? taken() : void waiting.push(taken)),
  });
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  response.assignSocket(socket as Socket);
  let isCutOff = false;
  let held = 0;
  const hold = ({ length }: Buffer): (() => void) => {
    held += length;
    return () => void (held -= length);
  };
  const writer = writerTo(response, {
    frameOf: ({ data }) => Buffer.from(data),
    cutOff: () => (isCutOff = true),
    hold,
  });
  return { wire, writer, isCutOff: () => isCutOff, held: () => held };
}

let seq = 0;
const events = (count: number, text = 'x'.repeat(EVENT_BYTES)): StreamEvent[] =>
  Array.from({ length: count }, () => ({
    seq: ++seq,
    network_id: 'net_1',
    alias: null,
    name: 'task',
    created_at: 0,
    data: text,
  }));

/** Up to date, then sent more than its socket accepts. */
function fallBehind(reader: ReturnType<typeof open>): void {
  reader.writer.caughtUp();
  expect(events(1).every(reader.writer.send)).toBe(false);
  void reader.writer.drained();
}

describe('a reader that reads nothing', () => {
  test('keeps its queued data until it reads', async () => {
    const reader = open();
    fallBehind(reader);
    expect(reader.held()).toBeGreaterThanOrEqual(EVENT_BYTES);
    reader.wire.takesAll = true;
    reader.wire.take();
    await expect.poll(reader.held).toBe(0);
  });

  test('is disconnected once more than one mebibyte is queued', async () => {
    const reader = open();
    fallBehind(reader);
    events(MEBIBYTE).forEach(reader.writer.missed);
    await nextTurn();
    expect(reader.isCutOff()).toBe(false);
    events(1).forEach(reader.writer.missed);
    await nextTurn();
    expect(reader.isCutOff()).toBe(true);
  });

  test('is disconnected by bytes, not by characters', async () => {
    const reader = open();
    fallBehind(reader);
    events(MEBIBYTE / 2 + 1, '务'.repeat(EVENT_BYTES)).forEach(reader.writer.missed); // three bytes each
    await nextTurn();
    expect(reader.isCutOff()).toBe(true);
  });

  test('is disconnected by the same rule during its replay', async () => {
    const reader = open();
    events(1).forEach(reader.writer.send);
    void reader.writer.drained();
    events(MEBIBYTE + 1).forEach(reader.writer.missed);
    await nextTurn();
    expect(reader.isCutOff()).toBe(true);
  });

  test('is disconnected after half a minute, however little is queued', () => {
    const reader = open();
    fallBehind(reader);
    vi.advanceTimersByTime(STREAM_IDLE_MS - 1);
    expect(reader.isCutOff()).toBe(false);
    vi.advanceTimersByTime(1);
    expect(reader.isCutOff()).toBe(true);
  });
});

describe('a reader that keeps reading', () => {
  test('is not behind, however large the events of one turn are', () => {
    const reader = open();
    reader.wire.takesAll = true;
    reader.writer.caughtUp();
    expect(events(MEBIBYTE).every(reader.writer.send)).toBe(true);
  });

  test('stays connected when one commit produces eight mebibytes', async () => {
    const reader = open();
    fallBehind(reader);
    events(8 * MEBIBYTE).forEach(reader.writer.missed);
    reader.wire.takesAll = true;
    reader.wire.take();
    await nextTurn();
    expect(reader.isCutOff()).toBe(false);
  });

  test.each([
    ['is still disconnected when it is a mebibyte behind for a second', MEBIBYTE - 1, true],
    ['stays connected when it is less far behind by then', MEBIBYTE, false],
  ])('%s', async (_, caughtUp, isCutOff) => {
    const reader = open();
    fallBehind(reader);
    const missed = events(2 * MEBIBYTE);
    missed.forEach(reader.writer.missed);
    reader.wire.takesAll = true;
    reader.wire.take();
    await nextTurn();
    missed.slice(0, caughtUp).forEach(reader.writer.send);
    vi.advanceTimersByTime(STREAM_STUCK_MS);
    expect(reader.isCutOff()).toBe(isCutOff);
  });

  test('replays any amount at its own speed, and is measured once it is up to date', async () => {
    const reader = open();
    for (let page = 0; page < 4; page++) {
      events(MEBIBYTE).forEach(reader.writer.send);
      const drained = reader.writer.drained();
      events(MEBIBYTE - 1).forEach(reader.writer.missed);
      await nextTurn();
      vi.advanceTimersByTime(STREAM_IDLE_MS - 1);
      reader.wire.takesAll = true;
      reader.wire.take();
      await drained;
      reader.wire.takesAll = false;
    }
    expect(reader.isCutOff()).toBe(false);
    fallBehind(reader);
    events(MEBIBYTE + 1).forEach(reader.writer.missed);
    await nextTurn();
    expect(reader.isCutOff()).toBe(true);
  });
});

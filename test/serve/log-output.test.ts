// Log lines that cannot be written are dropped whole, cost no time, and are counted.
import { expect, test } from 'vitest';
import { openLogOutput } from '../../server/serve/log/output.ts';

const failure = (code: string): Error => Object.assign(new Error(code), { code });

/** Takes at most `room` bytes, and then fails with this code. */
function open() {
  const state = { room: Infinity, code: 'EAGAIN', written: '', attempts: 0 };
  const again: [number, string][] = [];
  const output = openLogOutput(
    1,
    (lost, code) => again.push([lost, code]),
    (_, bytes) => {
      state.attempts += 1;
      const taken = Math.min(bytes.length, state.room);
      if (taken === 0) throw failure(state.code);
      state.room -= taken;
      state.written += bytes.subarray(0, taken).toString();
      return taken;
    },
  );
  return { state, again, output };
}

test.each(['EPIPE', 'ENOSPC'])('after %s lines are dropped at once and counted when one is written', (code) => {
  const { state, again, output } = open();
  output.write('one\n');
  Object.assign(state, { room: 0, code });
  for (let count = 0; count < 3; count++) output.write('lost\n');
  expect(state.attempts).toBe(4);
  state.room = Infinity;
  output.write('two\n');
  output.write('three\n');
  expect(state.written).toBe('one\ntwo\nthree\n');
  expect(again).toEqual([[3, code]]);
});

test('a line that a full pipe took in part is completed before the next', () => {
  const { state, again, output } = open();
  state.room = 3;
  output.write('first\n');
  output.write('second\n');
  expect(state.written).toBe('fir');
  state.room = Infinity;
  output.write('third\n');
  expect(state.written).toBe('first\nthird\n');
  expect(again).toEqual([[2, 'EAGAIN']]);
});

test('a full pipe delays the hub once, not with each line', () => {
  const { state, output } = open();
  state.room = 0;
  output.write('waits\n');
  const { attempts } = state;
  expect(attempts).toBeGreaterThan(1);
  for (let count = 0; count < 5; count++) output.write('does not wait\n');
  expect(state.attempts).toBe(attempts + 5);
});

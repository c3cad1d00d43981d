import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openWatchdog } from '../../../console/live/watchdog.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a stream that is silent', () => {
  function open(isHung: boolean) {
    const watchdog = openWatchdog();
    const [onSilence, probe] = [vi.fn(), vi.fn(async () => (isHung ? Promise.reject(new Error('timeout')) : {}))];
    watchdog.start(onSilence, probe);
    return { watchdog, onSilence, probe };
  }

  test('ends when the hub does not respond either', async () => {
    const { onSilence } = open(true);
    await vi.advanceTimersByTimeAsync(9_000);
    expect(onSilence).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(onSilence).toHaveBeenCalledTimes(1);
  });

  test('stays open while the hub responds', async () => {
    const { onSilence, probe } = open(false);
    await vi.advanceTimersByTimeAsync(61_000);
    expect([onSilence.mock.calls.length, probe.mock.calls.length]).toEqual([0, 6]);
  });

  test('is not probed while data arrives, nor after its end', async () => {
    const { watchdog, probe } = open(true);
    for (let n = 0; n < 10; n++) {
      await vi.advanceTimersByTimeAsync(5_000);
      watchdog.alive();
    }
    watchdog.stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(probe).not.toHaveBeenCalled();
  });

  test('ends after two and a half heartbeats without data', async () => {
    const { watchdog, onSilence } = open(false);
    watchdog.beat();
    await vi.advanceTimersByTimeAsync(10_000);
    watchdog.beat();
    watchdog.alive();
    await vi.advanceTimersByTimeAsync(24_000);
    expect(onSilence).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(onSilence).toHaveBeenCalled();
  });
});

// Unexpected errors, injected into the hub process. They are logged and counted, and the hub keeps running.
import { describe, expect, test } from 'vitest';
import { startHub } from '../../support/process/running-hub.ts';

/** Each signal injects one: an unhandled rejection, then an exception from a timer. */
const PLANTED = `
  let signals = 0;
  process.on('SIGUSR2', () => {
    if (++signals === 1) Promise.reject(new Error('planted rejection'));
    else setTimeout(() => { throw new Error('planted exception'); });
  });`;

describe('a hub with an injected fault', () => {
  test('logs and counts unhandled errors, and keeps running', async () => {
    const hub = await startHub({
      target: 'source',
      env: { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(PLANTED)}` },
    });
    for (const word of ['planted rejection', 'planted exception']) {
      hub.signal('SIGUSR2');
      await expect.poll(hub.output).toContain(word);
    }
    const metrics = await (await fetch(`${hub.url}/metrics`)).text();
    expect(metrics).toContain('agenthub_unexpected_errors_total{kind="rejection"} 1');
    expect(metrics).toContain('agenthub_unexpected_errors_total{kind="exception"} 1');
    expect(await hub.stop()).toBe(0);
  });
});

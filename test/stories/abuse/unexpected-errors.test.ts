// Errors that no code of the hub expects, planted in its process: they are logged and counted, and the hub goes on.
import { describe, expect, test } from 'vitest';
import { startHub } from '../../support/process/running-hub.ts';

/** Each signal plants one: a rejection that nobody handles, then an exception out of a timer. */
const PLANTED = `
  let signals = 0;
  process.on('SIGUSR2', () => {
    if (++signals === 1) Promise.reject(new Error('planted rejection'));
    else setTimeout(() => { throw new Error('planted exception'); });
  });`;

describe('a hub with a fault in it', () => {
  test('logs and counts what nothing handles, and goes on', async () => {
    const hub = await startHub({
      target: 'source',
      env: { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(PLANTED)}` },
    });
    for (const word of ['planted rejection', 'planted exception']) {
      hub.signal('SIGUSR2');
      await expect.poll(hub.output, { timeout: 10_000 }).toContain(word);
    }
    const metrics = await (await fetch(`${hub.url}/metrics`)).text();
    expect(metrics).toContain('agenthub_unexpected_errors_total{kind="rejection"} 1');
    expect(metrics).toContain('agenthub_unexpected_errors_total{kind="exception"} 1');
    expect(await hub.stop()).toBe(0);
  });
});

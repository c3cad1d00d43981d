// SIGHUP: the log level of a running hub changes without a restart, and the log says what needs one.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startHub, storyOnce, temporaryDirectory } from '../support/process/running-hub.ts';

storyOnce('SIGHUP', (target) => {
  test('applies the log level, and names the settings that need a restart', async () => {
    const data = temporaryDirectory();
    const configure = (file: object | string): void =>
      writeFileSync(join(data, 'agenthub.json'), typeof file === 'string' ? file : JSON.stringify(file));
    configure({ log_level: 'info', keep_tasks_days: 30 });
    const hub = await startHub({ target, data });
    const reloaded = async (line: string): Promise<void> => {
      hub.signal('SIGHUP');
      await expect.poll(hub.output).toContain(line);
    };
    const debugLines = (): number => hub.output().split('"level":"debug"').length - 1;
    await fetch(`${hub.url}/health`);
    expect(debugLines()).toBe(0);

    configure({ log_level: 'debug', keep_tasks_days: 60, heartbeat_seconds: 20 });
    await reloaded(
      '"needs_restart":["heartbeat_seconds","keep_tasks_days"],"msg":"configuration reloaded: log_level is now debug; restart the hub to apply heartbeat_seconds, keep_tasks_days"',
    );
    await fetch(`${hub.url}/health`);
    await expect.poll(debugLines).toBeGreaterThan(0);

    configure({ log_level: 'error', keep_tasks_days: 30 });
    await reloaded('"needs_restart":[],"msg":"configuration reloaded: log_level is now error"');

    configure({ log_level: 'loud' });
    await reloaded('the configuration was not reloaded: log_level in');
    configure('{');
    await reloaded('agenthub.json cannot be read');

    configure({ log_level: 'info', keep_tasks_days: 30 });
    await reloaded('"msg":"configuration reloaded: log_level is now info"');
    await reloaded('"msg":"configuration reloaded: no setting changed"');
    expect(await hub.stop()).toBe(0);
  });
});

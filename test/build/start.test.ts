import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { build } from '../../build/index.ts';
import { ROOT } from '../../build/step.ts';
import { VERSION } from '../../server/version.ts';

const START = join(ROOT, 'scripts/start.ts');

describe('npm start', () => {
  beforeAll(() => build(), 120_000);

  test('passes its arguments on and rebuilds nothing that is up to date', () => {
    const result = spawnSync(process.execPath, [START, '--version'], { encoding: 'utf8' });
    expect(result).toMatchObject({ status: 0, stdout: `${VERSION}\n`, stderr: '' });
  });

  test('ends with the exit code of the hub', () => {
    const { status, stderr } = spawnSync(process.execPath, [START, '--port', 'many'], { encoding: 'utf8' });
    expect(status).toBe(2);
    expect(stderr).toMatch(/^agenthub: --port is "many"/);
  });

  test('becomes the hub: one signal stops it gracefully', async () => {
    const data = mkdtempSync(join(tmpdir(), 'agenthub-start-'));
    const hub = spawn(process.execPath, [START, '--port', '0', '--data', data], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(hub.stdout, 'data');
    hub.kill('SIGTERM');
    expect(await once(hub, 'exit')).toEqual([0, null]);
    rmSync(data, { recursive: true });
  });
});

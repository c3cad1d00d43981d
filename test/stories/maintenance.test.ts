// An operator maintains a hub with the commands of README.md, both running and stopped.
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { restClient } from '../support/http/rest-client.ts';
import { newMachine } from '../support/process/machine.ts';
import { startHub, storyOnce } from '../support/process/running-hub.ts';
import { readmeBlock, readmeBlocks } from '../support/readme.ts';

storyOnce('maintaining a hub', (target) => {
  test('the commands of README create users and tokens, back up, restore, move, upgrade and prune', async () => {
    const machine = newMachine(target);
    const data = join(machine.root, 'data');
    symlinkSync(join(machine.root, 'here/agenthub'), join(machine.root, 'bin/agenthub'));
    mkdirSync(data, { mode: 0o700 });
    const hub = await startHub({ target, data });
    const listed = machine.paste(readmeBlock('People, tokens and networks', 'sh'));
    expect(listed).toMatchObject({
      status: 0,
      stderr: '',
      stdout: expect.stringContaining('created ada with role admin'),
    });
    const token = /^ntok_\w+$/m.exec(listed.stdout)?.[0] ?? '';
    expect((await restClient(hub.url, token).get('/api/status')).status).toBe(200);

    const [backUp = '', restore = ''] = readmeBlocks('Back up and restore', 'sh').map(({ text }) => text);
    expect(machine.paste(backUp)).toMatchObject({
      status: 0,
      stderr: '',
      stdout: expect.stringMatching(/^backed up to .*\nbacked up to .*\n$/),
    });
    expect(machine.paste(backUp).status).toBe(0);
    expect(readdirSync(join(machine.root, 'backups'))).toEqual(['hub.db']);
    expect(machine.paste(readmeBlock('Delete old data', 'sh'))).toMatchObject({ status: 0, stderr: '' });
    expect(machine.paste(restore)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('another agenthub is using this data directory'),
    });
    expect(await hub.stop()).toBe(0);

    expect(machine.paste(restore)).toMatchObject({
      status: 0,
      stderr: '',
      stdout: expect.stringContaining('1 user, 2 networks'),
    });
    expect(machine.actions()).toEqual([
      'systemctl stop agenthub',
      'systemctl stop agenthub',
      'systemctl start agenthub',
    ]);
    expect(machine.paste(readmeBlock('Export and import', 'sh'))).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('1 user, 2 networks'),
    });
    expect(machine.paste(readmeBlock('Upgrade', 'sh'))).toMatchObject({ status: 0, stderr: '' });
    for (const directory of [data, join(machine.root, 'other')]) {
      const again = await startHub({ target, data: directory });
      expect((await restClient(again.url, token).get('/api/status')).status).toBe(200);
      expect(await again.stop()).toBe(0);
    }
  });
});

// The trial of a network, and the command that ends it: on a running hub, on a stopped hub, and with invalid arguments.
import { expect, test } from 'vitest';
import { mcpClient } from '../../support/http/mcp-client.ts';
import { register } from '../../support/http/rest-client.ts';
import { runToItsEnd, startHub, storyOnce } from '../../support/process/running-hub.ts';

const TASK = { alias: 'bob', task: 'build it' };

storyOnce('the trial of a network', (target) => {
  test('expires after its days, and the command lifts it immediately', async () => {
    const first = await startHub({ target, args: ['--trial-days', '0.00000001'] });
    const { networkToken, networkId } = await register(first.url);
    const send = (url: string) => mcpClient(url, networkToken).call('send_task', TASK);
    const license = (...words: string[]) =>
      runToItsEnd({ target, args: ['network', 'license', ...words, '--data', first.data] });
    await expect(send(first.url)).rejects.toMatchObject({ error: 'license_expired' });
    expect(await license('net_none', '--until', 'never')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^agenthub: network net_none does not exist; .*\n$/),
    });
    expect(await license(networkId, '--until', 'soon')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('It must be a date such as 2027-01-31, or never'),
    });
    await expect(send(first.url)).rejects.toMatchObject({ error: 'license_expired' });
    expect(await license(networkId, '--until', 'never')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('has no trial limit'),
    });
    expect(await send(first.url)).toMatchObject({ ok: true });
    await first.kill('SIGTERM');

    const today = new Date().toISOString().slice(0, 10);
    const ended = await license('ada', '--until', '2026-01-31');
    expect(ended).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^agenthub: until is 2026-01-31, which is past; \d{4}-\d\d-\d\d ends the trial now\n$/,
      ),
    });
    expect(await license('ada', '--until', today)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`ends ${today} 00:00:00 UTC`),
    });
    const again = await startHub({ target, data: first.data });
    await expect(send(again.url)).rejects.toMatchObject({ error: 'license_expired' });
  });
});

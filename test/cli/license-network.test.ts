// The trial of a network, and the command that lifts it: before, with a wrong word, and after.
import { expect, test } from 'vitest';
import { mcpClient } from '../support/mcp-client.ts';
import { register } from '../support/rest-client.ts';
import { onePlay, runToItsEnd, startHub } from '../support/running-hub.ts';

const TASK = { alias: 'bob', task: 'build it' };

onePlay('the trial of a network', (target) => {
  test('is over after its days, is lifted by the command, and sends go on', async () => {
    const first = await startHub({ target, args: ['--trial-days', '0.00000001'] });
    const { networkToken, networkId } = await register(first.url);
    await expect(mcpClient(first.url, networkToken).call('send_task', TASK)).rejects.toMatchObject({ error: 'license_expired' });
    const license = (...words: string[]) => runToItsEnd({ target, args: ['network', 'license', ...words, '--data', first.data] });
    expect(await license(networkId, '--until', 'never')).toMatchObject({ code: 1, stderr: expect.stringMatching(/^agenthub: another agenthub runs on this data directory/) });
    await first.kill('SIGTERM');

    expect(await license('net_none', '--until', 'never')).toMatchObject({ code: 1, stderr: expect.stringMatching(/^agenthub: there is no network net_none/) });
    expect(await license(networkId, '--until', 'soon')).toMatchObject({ code: 1, stderr: expect.stringMatching(/^agenthub: --until is "soon" but must be a date/) });
    expect(await license(networkId, '--until', 'never')).toMatchObject({ code: 0, stdout: expect.stringContaining('without end') });
    const again = await startHub({ target, data: first.data });
    expect(await mcpClient(again.url, networkToken).call('send_task', TASK)).toMatchObject({ ok: true });
  });
});

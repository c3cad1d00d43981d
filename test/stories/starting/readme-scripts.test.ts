// The commands of README.md for scripts and monitoring, pasted into a shell.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { register } from '../../support/http/rest-client.ts';
import { openShell } from '../../support/process/readme-shell.ts';
import { startHub, storyOnce } from '../../support/process/running-hub.ts';
import { readmeBlocks } from '../../support/readme.ts';

storyOnce('the scripting and monitoring commands of README', (target) => {
  test('send → work → result, and the fields a script branches on', async () => {
    const hub = await startHub({ target });
    const { networkToken } = await register(hub.url);
    const { paste } = openShell(target, hub);
    const { status, stdout, stderr } = paste(
      "printf '%s' 'correct horse' > password.txt",
      ...readmeBlocks('Scripts', 'sh').map(({ text }) => text.replace('ntok_…', networkToken)),
    );
    expect(status, stderr).toBe(0);
    const expected = [
      /^signed in to .* as ada/m,
      /^5\n/m,
      /^counted 2 words$/m,
      /^wc: /m,
      /^the task failed: /m,
      /^task_\w+ is replied$/m,
      /^the same task: task_\w+$/m,
      /^no mail for reviewer$/m,
      /"status": "replied"/,
    ];
    for (const words of expected) expect(stdout).toMatch(words);
  });

  test('the health and metrics of a running hub, and the log line named by a response', async () => {
    const hub = await startHub({ target });
    const { home, paste } = openShell(target, hub);
    const [look, alerts, find] = readmeBlocks('Monitor', 'sh');
    const { stdout } = paste(look?.text ?? '');
    expect(stdout).toContain('{"status":"ok"}');
    expect(stdout).toMatch(/agenthub_info\{version="\d+\.\d+\.\d+"\} 1$/m);

    expect(paste((alerts?.text ?? '').replace('/etc/prometheus/rules', home))).toMatchObject({ status: 0 });
    expect(readFileSync(join(home, 'agenthub.yml'), 'utf8')).toMatch(/^# .*\ngroups:\n/);

    const refused = await fetch(`${hub.url}/api/tasks`);
    await expect.poll(hub.output).toContain('"route":"/api/tasks"');
    writeFileSync(join(home, 'journal'), hub.output());
    const journal = `journalctl() { cat ${home}/journal; }`;
    const line = (find?.text ?? '').replace(/(?<="request_id":")\w+/, refused.headers.get('x-request-id') ?? '');
    expect(paste(journal, line)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^\{.*"status":401.*\}\n$/),
    });
  });
});

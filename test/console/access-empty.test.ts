import { describe, test } from 'vitest';
import { auditAll } from './accessibility.ts';
import { browser, signedIn } from './fixture.ts';

describe.skipIf(browser === undefined)('accessibility', () => {
  test('an empty hub has no violations', async () => {
    const fixture = await signedIn({
      failures: ['404 /api/session', '404 /api/tasks/none', '404 /api/tasks/none/why', '404 /api/messages/none'],
    });
    await auditAll(fixture, 'none');
  });
});

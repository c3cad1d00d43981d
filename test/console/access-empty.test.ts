import { describe, test } from 'vitest';
import { auditAll } from './accessibility.ts';
import { browser, signedIn } from './fixture.ts';

describe.skipIf(browser === undefined)('accessibility', () => {
  test.each(['light', 'dark'] as const)('an empty hub has no violations in %s mode', async (colorScheme) => {
    const fixture = await signedIn({
      colorScheme,
      failures: ['404 /api/session', '404 /api/tasks/none', '404 /api/tasks/none/why', '404 /api/messages/none'],
    });
    await auditAll(fixture, 'none');
  });
});

// The interface, row by row: every table line and every client-visible addition of SPECIFICATION.md, over HTTP against
// a real hub. Each interface-*.test.ts runs some of the tables in this folder on a separate hub.
import { afterAll, beforeAll } from 'vitest';
import { storyOnce } from '../../support/process/running-hub.ts';
import { type Fixture, openFixture } from './fixture.ts';

export function withFixture(title: string, tests: (fixture: () => Fixture) => void): void {
  storyOnce(title, (target) => {
    const cleanups: (() => Promise<void>)[] = [];
    let fixture: Fixture;

    beforeAll(async () => {
      fixture = await openFixture(target, (cleanup) => void cleanups.unshift(cleanup));
    });

    afterAll(async () => {
      for (const cleanup of cleanups) await cleanup();
    });

    tests(() => fixture);
  });
}

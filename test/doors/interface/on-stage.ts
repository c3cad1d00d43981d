// The interface, row by row: every table line and every client-visible addition of SPECIFICATION.md, over HTTP against a
// real hub. Each interface-*.test.ts runs some of the tables in this folder on a hub of its own.
import { afterAll, beforeAll } from 'vitest';
import { onePlay } from '../../support/process/running-hub.ts';
import { openStage, type Stage } from './stage.ts';

export function onStage(title: string, tests: (stage: () => Stage) => void): void {
  onePlay(title, (target) => {
    const tidying: (() => Promise<void>)[] = [];
    let stage: Stage;

    beforeAll(async () => {
      stage = await openStage(target, (tidy) => void tidying.unshift(tidy));
    });

    afterAll(async () => {
      for (const tidy of tidying) await tidy();
    });

    tests(() => stage);
  });
}

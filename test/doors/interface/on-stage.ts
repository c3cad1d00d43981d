// The interface, row by row: every line of its tables and every addition of decisions.md that a client can see, over
// HTTP against a real hub. Each interface-*.test.ts plays some of the tables beside this file, on a stage of its own.
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

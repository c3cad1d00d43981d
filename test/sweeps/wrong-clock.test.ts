// A hub on a machine whose clock shows a time that cannot be stored.
import { expect, test } from 'vitest';
import { StartError } from '../../server/domain/errors.ts';
import { openFixture, send } from '../support/fixture.ts';
import { restartTestHub } from '../support/test-hub.ts';

test('it does not start until the clock is corrected', async () => {
  const fixture = await openFixture();
  const { hub } = fixture;
  await send(fixture);
  const millennia = Date.UTC(9_500, 0) - hub.clock.now();
  hub.clock.jump(millennia);
  await expect(restartTestHub(hub)).rejects.toThrow(StartError);
  hub.clock.jump(-millennia);
  expect((await restartTestHub(hub)).clock.now()).toBe(hub.clock.wall());
});

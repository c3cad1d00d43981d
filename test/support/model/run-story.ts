// Runs the same actions on the hub and on the model, and compares every response.
import { expect } from 'vitest';
import { HubError } from '../../../server/domain/errors.ts';
import type { Act, StoryStep } from './actions.ts';
import { type Fixture, openFixture } from './fixture.ts';
import type { Expected } from './rules.ts';
import { expireDue, type ModelState, newModelState, newNet } from './state.ts';
import { finalReads } from './stories.ts';

/** Throws on a difference. Compares the full state at the end. Adds every outcome to `seen`. */
export async function runStory(steps: readonly StoryStep[], seen = new Set<string>()): Promise<void> {
  const fixture = await openFixture();
  const state = newModelState(fixture.clock.now(), fixture.networks.map(newNet));
  try {
    for (const step of [...steps, ...finalReads(0), ...finalReads(1)])
      await runStep(fixture, state, step, seen).catch((error: unknown) => differs(step, error));
  } finally {
    await fixture.close();
  }
}

function differs({ title }: StoryStep, error: unknown): never {
  throw new Error(`${title}\n${error instanceof Error ? error.message : String(error)}`, { cause: error });
}

async function runStep(fixture: Fixture, state: ModelState, step: StoryStep, seen: Set<string>): Promise<void> {
  if ('advance' in step) fixture.clock.advance(step.advance);
  else if ('restart' in step) await restart(fixture, state, step.restart);
  else for (let time = 0; time < step.act.times; time++) await runAct(fixture, state, step.act, seen);
  state.now = fixture.clock.now();
}

async function restart(fixture: Fixture, state: ModelState, downtime: number): Promise<void> {
  expireDue(state);
  await fixture.restart(downtime);
  state.startedAt = fixture.clock.now();
  state.sends = [];
}

async function runAct(fixture: Fixture, state: ModelState, act: Act, seen: Set<string>): Promise<void> {
  const net = state.nets[act.network];
  if (net === undefined) throw new Error(`there is no network ${act.network}`);
  expireDue(state);
  const { input, rule } = act.at(state, net);
  const expected: Expected = act.writes && act.role === 'viewer' ? { error: 'permission_denied' } : rule();
  seen.add(
    'error' in expected
      ? expected.error
      : `${act.operation.name}${'warning' in expected.result ? ' with a warning' : ''}`,
  );
  const response = await responseTo(fixture.ask(act.network, act.role, act.operation, input));
  if ('error' in expected) return expect(response).toEqual(expected);
  expect(response).toMatchObject(withoutWording(expected.result));
  expect('warning' in response, 'whether it warns').toBe('warning' in expected.result);
  expected.learns?.({ ...response });
}

async function responseTo(call: Promise<object>): Promise<object> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof HubError) return { error: error.code };
    throw error;
  }
}

/** Compares whether there is a warning, not its text. */
function withoutWording({ warning: _, ...response }: { warning?: string }): object {
  return response;
}

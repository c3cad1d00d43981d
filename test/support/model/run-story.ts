// Runs the same actions on the hub and on the model, and compares every response.
import { expect } from 'vitest';
import { HubError } from '../../../server/domain/errors.ts';
import type { Act, Move } from './actions.ts';
import { type Fixture, openFixture } from './fixture.ts';
import type { Expected } from './rules.ts';
import { newNet, newWorld, passTime, type World } from './state.ts';
import { lastLooks } from './stories.ts';

/** Throws on a difference. Compares the full state at the end. Adds every outcome to `seen`. */
export async function runStory(moves: readonly Move[], seen = new Set<string>()): Promise<void> {
  const fixture = await openFixture();
  const world = newWorld(fixture.clock.now(), fixture.networks.map(newNet));
  try {
    for (const move of [...moves, ...lastLooks(0), ...lastLooks(1)])
      await runMove(fixture, world, move, seen).catch((error: unknown) => differs(move, error));
  } finally {
    await fixture.close();
  }
}

function differs({ title }: Move, error: unknown): never {
  throw new Error(`${title}\n${error instanceof Error ? error.message : String(error)}`, { cause: error });
}

async function runMove(fixture: Fixture, world: World, move: Move, seen: Set<string>): Promise<void> {
  if ('advance' in move) fixture.clock.advance(move.advance);
  else if ('restart' in move) await restart(fixture, world, move.restart);
  else for (let time = 0; time < move.act.times; time++) await runAct(fixture, world, move.act, seen);
  world.now = fixture.clock.now();
}

async function restart(fixture: Fixture, world: World, downtime: number): Promise<void> {
  passTime(world);
  await fixture.restart(downtime);
  world.startedAt = fixture.clock.now();
  world.sends = [];
}

async function runAct(fixture: Fixture, world: World, act: Act, seen: Set<string>): Promise<void> {
  const net = world.nets[act.network];
  if (net === undefined) throw new Error(`there is no network ${act.network}`);
  passTime(world);
  const { input, rule } = act.at(world, net);
  const expected: Expected = act.writes && act.role === 'viewer' ? { error: 'permission_denied' } : rule();
  seen.add(
    'error' in expected
      ? expected.error
      : `${act.operation.name}${'warning' in expected.answer ? ' with a warning' : ''}`,
  );
  const answer = await answerTo(fixture.ask(act.network, act.role, act.operation, input));
  if ('error' in expected) return expect(answer).toEqual(expected);
  expect(answer).toMatchObject(withoutWording(expected.answer));
  expect('warning' in answer, 'whether it warns').toBe('warning' in expected.answer);
  expected.learns?.({ ...answer });
}

async function answerTo(asked: Promise<object>): Promise<object> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof HubError) return { error: error.code };
    throw error;
  }
}

/** Compares whether there is a warning, not its text. */
function withoutWording({ warning: _, ...answer }: { warning?: string }): object {
  return answer;
}

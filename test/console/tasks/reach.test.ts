import { expect, test } from 'vitest';
import { en } from '../../../console/i18n/en.ts';
import { reachSentences } from '../../../console/tasks/reach.ts';

const context = { now: Date.parse('2026-01-31T12:05:00Z'), language: 'en', words: en };
const last_seen_at = '2026-01-31 12:00:00';
const reach = (status: Parameters<typeof reachSentences>[1], isKnown = true) =>
  reachSentences('builder', status, isKnown, context).join(' ');

test.each([
  ['working', 'builder is working. Last active 5m ago. builder sees your message the next time it reads its inbox.'],
  [
    'waiting_input',
    'builder needs input. Last active 5m ago. builder sees your message the next time it reads its inbox.',
  ],
  [
    'idle',
    'builder is idle. Last active 5m ago. If builder is waiting for mail, it gets your message at once. Otherwise, it gets it the next time it reads its inbox.',
  ],
  ['offline', 'builder is offline, last seen 5m ago. Your message will wait in the inbox of builder.'],
] as const)('an agent that is %s', (status, sentences) => expect(reach({ status, last_seen_at })).toBe(sentences));

test('a name that no agent has reported under', () =>
  expect(reach(undefined)).toBe(
    'No agent has ever reported as builder. Your message will wait in the inbox of builder.',
  ));

test('nothing is claimed about an agent that is not loaded', () =>
  expect(reach(undefined, false)).toBe('builder sees your message the next time it reads its inbox.'));

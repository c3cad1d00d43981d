// Which events of other hubs are worth reading: all that somebody could receive, and none for the streams of others.
import { describe, expect, test } from 'vitest';
import type { StreamEvent } from '../../server/domain/events.ts';
import { streamEvent } from '../../server/domain/events.ts';
import { openBroker, type Topic } from '../../server/events/broker.ts';

const TOPICS: Record<string, Topic> = {
  'the network': { networks: ['n'] },
  'several networks': { networks: ['m', 'n'] },
  bob: { networks: ['n'], alias: 'bob' },
  'the inbox of bob': { networks: ['n'], inbox: 'bob' },
  'a task': { networks: ['n'], task_id: 'task_1' },
  'another network': { networks: ['m'] },
};

type Published = Pick<StreamEvent, 'name' | 'alias' | 'task_id' | 'inbox'>;
const EVENTS: Record<string, Published> = {
  'a task for bob': { name: 'new_task', alias: 'bob' },
  'a message to bob': { name: 'new_message', alias: 'bob' },
  'a message to carol': { name: 'new_message', alias: 'carol' },
  'a step of the task': { name: 'task', alias: null, task_id: 'task_1' },
  'a step of another task': { name: 'task', alias: null, task_id: 'task_2' },
  'a report of bob, which may take messages out of the inbox': { name: 'session', alias: null, inbox: 'bob' },
};

const eventOf = (event: Published) =>
  streamEvent({ seq: 1, network_id: 'n', created_at: 0, ...event }, () => ({
    type: 'new_message',
    message: 'm',
    from: 'a',
    message_id: 'msg_1',
  }));

describe.each(Object.entries(TOPICS))('with a listener for %s', (topic, wanted) => {
  test.each(Object.entries(EVENTS))('%s', (_, published) => {
    const broker = openBroker((error) => {
      throw error;
    });
    const event = eventOf(published);
    expect(broker.isHeard(event), 'before').toBe(false);
    const received: StreamEvent[] = [];
    const leave = broker.subscribe(wanted, (each) => received.push(each));
    broker.publish([event]);
    // Which task an event is about is known only once it is read.
    expect(broker.isHeard(event)).toBe(received.length > 0 || topic === 'a task');
    leave();
    expect(broker.isHeard(event), 'after').toBe(false);
  });
});

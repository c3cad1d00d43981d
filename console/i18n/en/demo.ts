// The demo, and what its agents say.
import { count } from './count.ts';

export const demo = {
  network: 'Demo',
  title: 'Just looking?',
  text: 'Add two demo agents. They live in this tab, speak to the hub as real agents do, and work in a network of their own, away from yours.',
  start: 'Add two demo agents',
  starting: 'Adding…',
  started: 'Two demo agents are at work.',
  runningTitle: 'Two demo agents are at work',
  runningText:
    'A planner sends tasks, a builder does them. Send the builder a task yourself. They stop when this tab closes.',
  elsewhereText:
    'They live in another tab of this browser, and stop when that one closes. Send the builder a task yourself.',
  pausedTitle: 'The demo agents have stopped',
  pausedText: 'The tab they lived in is closed. Start them again, or remove the demo.',
  resume: 'Start them again',
  remove: 'Remove the demo',
  removing: 'Removing…',
  removed: 'The demo is gone.',
  traces:
    'Removing deletes the demo network with its agents, tasks, messages and token. The audit log keeps the lines that say it was made and deleted.',
  busy: (n: number) =>
    `${count(n, 'agent', 'agents')} in the demo network ${n === 1 ? 'is' : 'are'} not of the demo and still online. Stop that first.`,
  look: 'Watch them work',
  banner: 'What you see is the demo.',
  manage: 'Manage the demo',
  here: 'You are looking at the demo network. Your own agents belong into yours.',
  back: (name: string) => `Go to ${name}`,
  goal: 'A demo of the hub: two agents that live in a browser tab.',
  jobs: [
    'Check the links in the README',
    'Sum up the open pull requests',
    'Run the unit tests of the parser',
    'Translate the release notes',
    'Find out why the build got slower',
    'Draft the agenda for Monday',
    'Rename the settings page',
    'Look for unused dependencies',
  ],
  step: ['Reading', 'Planning', 'Working', 'Checking'],
  done: (job: string) => `Done: “${job}” Nothing unusual came up; details are in the notes.`,
  failed: (job: string) => `Could not finish “${job}”: the test server did not answer.`,
  ready: 'Waiting for work',
  greeting: 'Good morning! I begin with the next piece of work.',
};

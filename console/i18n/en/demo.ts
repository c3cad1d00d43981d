// Texts of the demo, including what its agents write.
import { count } from './count.ts';

export const demo = {
  network: 'Demo',
  title: 'Just looking?',
  text: 'Add two demo agents. They run in this tab and work in a separate network.',
  start: 'Add two demo agents',
  starting: 'Adding…',
  started: 'Two demo agents are running.',
  runningTitle: 'Two demo agents are running',
  runningText:
    'A planner sends tasks and a builder works on them. You can send tasks to the builder too. Both stop when you close this tab.',
  elsewhereText:
    'They run in another tab of this browser and stop when you close it. You can send tasks to the builder too.',
  pausedTitle: 'The demo agents have stopped',
  pausedText: 'The tab they ran in is closed. Restart them, or remove the demo.',
  resume: 'Restart demo agents',
  remove: 'Remove demo',
  removing: 'Removing…',
  removed: 'Demo removed.',
  removalNote: 'Removing the demo deletes all of it, except in the audit log.',
  otherAgentsOnline: (n: number) =>
    `${count(n, 'other agent is', 'other agents are')} still online in the demo network. Stop ${n === 1 ? 'it' : 'them'} first.`,
  watch: 'Watch them work',
  banner: 'You are viewing the demo.',
  manage: 'Manage demo',
  bannerOnConnect: 'You are viewing the demo network. Connect your own agents to your own network.',
  goToNetwork: (name: string) => `Go to ${name}`,
  description: 'A demo of agenthub: two agents that run in a browser tab.',
  tasks: [
    'Check the links in the README',
    'Summarize the open pull requests',
    'Run the unit tests of the parser',
    'Translate the release notes',
    'Find out why the build got slower',
    'Draft the agenda for Monday',
    'Rename the settings page',
    'Look for unused dependencies',
  ],
  steps: ['Reading', 'Planning', 'Working', 'Checking'],
  done: (job: string) => `Done: “${job}”. No issues found.`,
  failed: (job: string) => `Could not finish “${job}”: the test server did not respond.`,
  ready: 'Waiting for tasks',
  greeting: 'Good morning! Starting the next task.',
};

// Texts of the overview page.
import { count } from './count.ts';

export const overview = {
  title: 'Overview',
  allAgents: 'View all agents',
  throughput: 'Throughput',
  span: 'Time range',
  series: { sent: 'Sent', replied: 'Replied', failed: 'Failed', cancelled: 'Cancelled', expired: 'Expired' },
  noThroughput: 'No tasks were sent or settled in this period.',
  oldestWaiting: 'Oldest waiting tasks',
  noWaitingTasks: 'No tasks are waiting to start.',
  allWaiting: 'View all waiting tasks',
  failures: 'Recent failures',
  noFailures: 'No failed tasks.',
  allFailures: 'View all failed tasks',
  chart: (sent: number, finished: number) => `${count(sent, 'task', 'tasks')} sent, ${finished} settled in this period`,
};

// The overview.

export const overview = {
  title: 'Overview',
  throughput: 'Throughput',
  span: 'Span',
  spans: { hour: 'Last hour', day: 'Last day' },
  series: { sent: 'Sent', replied: 'Replied', failed: 'Failed', cancelled: 'Cancelled', expired: 'Expired' },
  noThroughput: 'Nothing was sent or settled in this time.',
  oldest: 'Waiting longest',
  nobodyWaits: 'No task waits to be started.',
  allWaiting: 'All that wait',
  failures: 'Failed lately',
  noFailures: 'No task stands as failed.',
  allFailures: 'All that failed',
  chart: (sent: number, settled: number) => `${sent} tasks sent, ${settled} settled in this time`,
};

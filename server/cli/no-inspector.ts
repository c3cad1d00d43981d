// Imported before anything else: on SIGUSR1 Node would open its inspector, through which whoever reaches the port runs any code. A
// handler takes its place, and ignores the signal. The executable has --disable-sigusr1 for the time before.
process.on('SIGUSR1', () => {});

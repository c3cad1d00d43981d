// Imported first. On SIGUSR1, Node opens its inspector, and anyone who can reach that port can run code. This handler
// replaces the default action and ignores the signal. The executable also sets --disable-sigusr1, which covers the time
// before this runs.
process.on('SIGUSR1', () => {});

// Tells systemd that the hub is ready, that its event loop runs, and that it stops (Type=notify, WatchdogSec). Node
// cannot send to the socket of systemd, so its command systemd-notify does, which the unit allows with
// NotifyAccess=all.
import { spawn } from 'node:child_process';
import type { Log } from '../../domain/log.ts';

export type Systemd = {
  ready(): void;
  /** `drainSeconds` is added to the time that systemd waits, which a unit may have been written without. */
  stopping(drainSeconds: number): void;
};

/** Open requests have three seconds to finish, then the database is closed. */
export const STOP_SECONDS = 15;
const MICROS_PER_MS = 1_000;
const MICROS_PER_SECOND = 1_000_000;
/** systemd recommends half of the time after which it would restart the service. */
const PINGS_PER_TIMEOUT = 2;

/** Does nothing if systemd did not start the process, or not as a service that notifies. */
export function openSystemd(log: Log): Systemd {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: micros, WATCHDOG_PID: watched, PATH } = process.env;
  if (socket === undefined) return { ready: () => {}, stopping: () => {} };
  let hasFailed = false;
  const notify = (...states: string[]): void => {
    const sender = spawn('systemd-notify', states, { env: { PATH, NOTIFY_SOCKET: socket }, stdio: 'ignore' });
    sender.once('error', (error) => fail(error.message));
    sender.once('exit', (code) => code !== 0 && fail(`it exited with ${code}`));
  };
  const fail = (reason: string): void => {
    if (!hasFailed) log.error({ reason }, 'systemd-notify failed; systemd may restart the hub');
    hasFailed = true;
  };
  const pingMs = Number(micros) / MICROS_PER_MS / PINGS_PER_TIMEOUT;
  const isWatched = pingMs > 0 && (watched === undefined || Number(watched) === process.pid);
  return {
    ready: () => {
      notify('READY=1', 'STATUS=serving requests');
      if (isWatched) setInterval(() => notify('WATCHDOG=1'), pingMs).unref();
    },
    stopping: (drainSeconds) => {
      const micros = (drainSeconds + STOP_SECONDS) * MICROS_PER_SECOND;
      notify('STOPPING=1', 'STATUS=finishing open requests', `EXTEND_TIMEOUT_USEC=${micros}`);
    },
  };
}

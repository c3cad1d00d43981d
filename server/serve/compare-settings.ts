// Compares the settings of the hubs on a database: each tells its settings when it starts and every minute, and the log
// warns once of each difference.
import { settingsFindings } from '../domain/health/findings.ts';
import { MINUTE_MS } from '../domain/time/time.ts';
import type { Hub } from '../hub.ts';

/** `name` is that of this hub. */
export function compareSettings({ otherSettings, settings, clock, log }: Hub, name: string): void {
  let warned: readonly string[] = [];
  otherSettings.onTold(() => {
    const found = settingsFindings(otherSettings.list(settings, clock.now()));
    const lines = found.map(({ says, remedy }) => `${says}: ${remedy}`);
    for (const line of lines) if (!warned.includes(line)) log.warn({}, line);
    warned = lines;
  });
  const tell = (): void => otherSettings.tell(name, settings, clock.now());
  tell();
  setInterval(tell, MINUTE_MS).unref();
}

// A measured server: a separate process that prints its address in a line of JSON with a `url`.
import { type Command, printed, startProcess } from './process.ts';

export type Program = Disposable & {
  url: string;
  port: number;
  pid: number;
  /** Sends SIGKILL and waits for the exit. */
  kill(): Promise<void>;
};

const START_MS = 60_000;

export async function launch(command: Command): Promise<Program> {
  const started = startProcess(command, { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await printed(started, /^\{.*"url":"([^"]+)"/m, START_MS);
  const kill = async (): Promise<void> => void (await started.kill('SIGKILL'));
  return { url, port: Number(new URL(url).port), pid: started.pid, kill, [Symbol.dispose]: () => void kill() };
}

// The address that a hub prints when it listens.
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

export async function urlOf({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('the hub has no standard output');
  for await (const line of createInterface(stdout)) {
    const url = /"url":"([^"]+)","mcp"/.exec(line)?.[1];
    if (url !== undefined) {
      stdout.resume(); // a full pipe would stop the hub
      return url;
    }
  }
  throw new Error('the hub exited before it listened');
}

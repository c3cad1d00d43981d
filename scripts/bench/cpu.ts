// The processor time of other processes, on Linux.
import { readdirSync, readFileSync } from 'node:fs';

const MICROS_A_TICK = 10_000;

/** User and system time of all threads of a process; NaN without /proc. */
export function cpuMicrosOf(pid: number): number {
  const fields = fieldsOf(pid);
  return fields === undefined ? NaN : (Number(fields[11]) + Number(fields[12])) * MICROS_A_TICK;
}

/** The same of a process and its children. */
export function cpuMicrosOfAll(parent: number): number {
  const children = numbersIn('/proc').filter((pid) => Number(fieldsOf(pid)?.[1]) === parent);
  return [parent, ...children].reduce((sum, pid) => sum + cpuMicrosOf(pid), 0);
}

function numbersIn(directory: string): number[] {
  return readdirSync(directory)
    .map(Number)
    .filter((pid) => pid > 0);
}

/** Starts at the third field: the second, the name, may contain spaces. */
function fieldsOf(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

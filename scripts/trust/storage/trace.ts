// The file and socket operations of a program, in order, as recorded by strace. Commits run on the hub's main thread,
// checkpoints on a thread of the driver. The calls of all threads count, each when it returns: only then is an fsync
// certain.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Command } from '../../support/process.ts';

export type Operation =
  | { kind: 'create' | 'remove' | 'sync'; path: string }
  | { kind: 'write'; path: string; at: number; bytes: Uint8Array }
  | { kind: 'truncate'; path: string; size: number }
  | { kind: 'say'; text: string };

const CALLS = 'openat,close,write,writev,pwrite64,fsync,fdatasync,ftruncate,unlink';
const LONGEST_WRITE = 70_000;

/** The same command under strace, detached so that the process is still the hub's. */
export function traced({ file, args }: Command, to: string): Command {
  const options = ['-D', '-f', '--seccomp-bpf', '-xx', '-s', String(LONGEST_WRITE), '-e', `trace=${CALLS}`, '-o', to];
  return { file: 'strace', args: [...options, file, ...args] };
}

export async function* readTrace(file: string): AsyncGenerator<Operation> {
  const open = new Map<number, string>();
  for await (const call of callsIn(file)) {
    const operation = operationOf(call, open);
    if (operation !== undefined) yield operation;
  }
}

const UNFINISHED = ' <unfinished ...>';
const RESUMED = ' resumed>';

/** Complete calls in the order of their ends. A call during which another thread made one is split over two lines. */
async function* callsIn(file: string): AsyncGenerator<string> {
  const begun = new Map<string, string>();
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const [, thread = '', call = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const start = begun.get(thread);
    begun.delete(thread);
    if (start !== undefined) yield start + call.slice(call.indexOf(RESUMED) + RESUMED.length);
    else if (call.startsWith('close('))
      yield call.replace(UNFINISHED, ') = 0'); // its number can be reused before it returns
    else if (call.endsWith(UNFINISHED)) begun.set(thread, call.slice(0, -UNFINISHED.length));
    else if (!call.startsWith('<... ')) yield call;
  }
  for (const call of begun.values()) yield `${call}) = ?`; // it was killed during the call
}

function operationOf(line: string, open: Map<number, string>): Operation | undefined {
  const [, name, args = '', result = ''] = /^(\w+)\((.*)\)\s+= (-?\d+|\?)/s.exec(line) ?? [];
  if (name === undefined || Number(result) < 0) return undefined;
  if (name === 'openat') return opened(args, Number(result), open);
  if (name === 'unlink') return { kind: 'remove', path: textsIn(args).toString() };
  const path = open.get(Number.parseInt(args, 10));
  if (name === 'close') return void open.delete(Number.parseInt(args, 10));
  if (path === undefined)
    return name === 'write' || name === 'writev' ? { kind: 'say', text: textsIn(args).toString() } : undefined;
  return ofFile(name, args, path);
}

function opened(args: string, descriptor: number, open: Map<number, string>): Operation | undefined {
  const path = textsIn(args).toString();
  open.set(descriptor, path);
  return args.includes('O_CREAT') ? { kind: 'create', path } : undefined;
}

function ofFile(name: string, args: string, path: string): Operation | undefined {
  if (name === 'fsync' || name === 'fdatasync') return { kind: 'sync', path };
  if (name === 'ftruncate') return { kind: 'truncate', path, size: lastNumber(args) };
  if (name === 'pwrite64') return { kind: 'write', path, at: lastNumber(args), bytes: textsIn(args) };
  return undefined;
}

function lastNumber(args: string): number {
  return Number(args.slice(args.lastIndexOf(', ') + 2));
}

/** Every string of a call, which strace writes in hexadecimal. */
function textsIn(args: string): Buffer {
  return Buffer.from(
    [...args.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, hex = '']) => hex.replaceAll('\\x', '')).join(''),
    'hex',
  );
}

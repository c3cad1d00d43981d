// The program inside the executable: one script that V8 compiles with the code it made of it during the build. Without
// that, a third of a start is spent compiling functions. Code that does not fit this V8 is ignored, and the script
// compiled as usual.
import { Script } from 'node:vm';
import { readAsset } from './assets.ts';

export type Require = (name: string) => object;
export type Program = (require: Require) => void;

/** What the script evaluates to is a Program. */
export function compileProgram(): Script {
  const source = readAsset('server.js');
  if (source === undefined) throw new Error('the executable was built without its program');
  const cachedData = readAsset('server.cache');
  return new Script(asBuffer(source).toString('latin1'), {
    filename: process.execPath,
    ...(cachedData !== undefined && { cachedData: asBuffer(cachedData) }),
  });
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

// Together a tenth of a start: TLS, compression, processes and threads, of which most hubs need none at once.
// None of them is a function or a class itself, which the stand-in could not be.
const LATE = /^(node:)?(child_process|http2|https|readline|tls|worker_threads|zlib)$/;

/** Loads these modules when something in them is used for the first time, not when a package asks for them. */
export function requireLate(require: Require): Require {
  return (name) => (LATE.test(name) ? onFirstUse(() => require(name)) : require(name));
}

function onFirstUse(load: () => object): object {
  let loaded: object | undefined;
  const module = (): object => (loaded ??= load());
  return new Proxy({}, { get: (_, member) => Reflect.get(module(), member), has: (_, member) => member in module() });
}

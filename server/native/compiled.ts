// Compiles the embedded program with the V8 code cache from the build. Without the cache, compiling functions takes a
// third of the startup time. V8 ignores a cache of another version and compiles the script as usual.
import { Script } from 'node:vm';
import { readAsset } from './assets.ts';

export type Require = (name: string) => object;
export type Program = (require: Require) => void;

/** `hooks` is the small part for the commands that clients run at every event; `server` has all commands. */
export type ScriptName = 'server' | 'hooks';

/** The script for this command line: loading all of them would take a hook twice as long. */
export function scriptFor([, , command]: readonly string[]): ScriptName {
  return command === 'hook' || command === 'wake' ? 'hooks' : 'server';
}

/** The script evaluates to a Program. */
export function compileProgram(name: ScriptName): Script {
  const source = readAsset(`${name}.js`);
  if (source === undefined) throw new Error('the executable was built without its program');
  const cachedData = readAsset(`${name}.cache`);
  return new Script(asBuffer(source).toString('latin1'), {
    filename: 'agenthub', // in stack traces and in the cache, so that it must not name the directory of the build
    ...(cachedData !== undefined && { cachedData: asBuffer(cachedData) }),
  });
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

// Loading cryptography, TLS, compression, processes and threads takes a tenth of the startup time, and most programs
// need none of them at the start. None of these modules is a function or class, which the proxy could not replace.
const LATE = /^(node:)?(child_process|crypto|http2|https|readline|tls|worker_threads|zlib)$/;

/** Loads these modules on first use instead of on `require`. */
export function requireLate(require: Require): Require {
  return (name) => (LATE.test(name) ? onFirstUse(() => require(name)) : require(name));
}

function onFirstUse(load: () => object): object {
  let loaded: object | undefined;
  const module = (): object => (loaded ??= load());
  return new Proxy({}, { get: (_, member) => Reflect.get(module(), member), has: (_, member) => member in module() });
}

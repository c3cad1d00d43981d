// Reads embedded assets of the executable by name. When running from source, they are files in dist/ from the build.
import { existsSync, readFileSync } from 'node:fs';
import { getAssetKeys, getRawAsset, isSea } from 'node:sea';

/** Undefined if there is no such asset. The bytes are read-only pages of the executable and must not be written. */
export function readAsset(name: string): Uint8Array | undefined {
  return isSea() ? embedded(name) : built(name);
}

function embedded(name: string): Uint8Array | undefined {
  return getAssetKeys().includes(name) ? new Uint8Array(getRawAsset(name)) : undefined;
}

function built(name: string): Uint8Array | undefined {
  const file = new URL(`../../dist/${name}`, import.meta.url);
  return existsSync(file) ? readFileSync(file) : undefined;
}

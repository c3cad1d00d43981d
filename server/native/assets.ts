// What the executable carries inside itself, by name. On source the same names are files that the build left in dist/.
import { existsSync, readFileSync } from 'node:fs';
import { getAssetKeys, getRawAsset, isSea } from 'node:sea';

/**
 * Undefined when there is none. The bytes are the executable's own read-only pages: they can be read, never written.
 */
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

// Gives memory that the C library has freed back to the system. glibc itself gives back only what lies behind the last
// block in use, so that one small block keeps hundreds of megabytes of discarded bodies and responses.

/** The part of `node:ffi` that is used; its types are not published yet. */
type ForeignFunctions = {
  dlopen(
    path: null,
    functions: { malloc_trim: { arguments: ['u64']; return: 'i32' } },
  ): { functions: { malloc_trim(kept: bigint): number } };
};

/** Measured: 0.1 ms for each megabyte given back. Does nothing where the C library or Node has no such function. */
export function openTrim(): () => void {
  let trim: (() => void) | undefined;
  return () => (trim ??= find())();
}

function find(): () => void {
  try {
    const ffi = process.getBuiltinModule('node:ffi') as unknown as ForeignFunctions;
    const { malloc_trim } = ffi.dlopen(null, { malloc_trim: { arguments: ['u64'], return: 'i32' } }).functions;
    return () => void malloc_trim(0n);
  } catch {
    return () => {}; // another C library, or a Node without foreign functions
  }
}

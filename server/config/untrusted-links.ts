// Links in the directory of another user, through which that user could have root read, create or replace any file.
import { lstatSync, statSync } from 'node:fs';

/** The problem of the first of these files that is a link which root does not follow. */
export function untrustedLink(directory: string, files: readonly string[]): string | undefined {
  if (!isOfAnotherUser(directory)) return undefined;
  const link = files.find((file) => lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink());
  return (
    link &&
    `${link} is a symbolic link in the directory of another user, which root does not follow; run as that user, or remove it`
  );
}

/** Root runs this in the directory of another user. */
export function isOfAnotherUser(directory: string): boolean {
  if (process.getuid?.() !== 0) return false;
  const found = statSync(directory, { throwIfNoEntry: false });
  return found !== undefined && found.uid !== 0;
}

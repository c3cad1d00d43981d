// Reads and writes the query of the current address as page state, so that the back button restores it.
import { useLocation } from 'preact-iso/router';
import { withQuery } from '../live/request.ts';

export type Changes = Record<string, string | undefined>;

export function useAddress() {
  const { path, query, route } = useLocation();
  // `path` is never decoded, so an encoded alias in it stays unchanged.
  const pathWith = (changes: Changes) => withQuery(path, { ...query, ...changes });
  return {
    query,
    pathWith,
    /** Adds a history entry that the back button undoes. */
    change: (changes: Changes) => route(pathWith(changes)),
    /** Replaces the history entry; used while the user types. */
    replace: (changes: Changes) => route(pathWith(changes), true),
  };
}

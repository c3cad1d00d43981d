// The query of the present address as the state of a page: read from it, written to it, and found again by the back
// button.
import { useLocation } from 'preact-iso/router';
import { withQuery } from '../live/request.ts';

export type Changes = Record<string, string | undefined>;

export function useAddress() {
  const { path, query, route } = useLocation();
  // `path` is decoded nowhere, so an alias in it comes through as it is.
  const pathWith = (changes: Changes) => withQuery(path, { ...query, ...changes });
  return {
    query,
    pathWith,
    /** A step the back button undoes. */
    change: (changes: Changes) => route(pathWith(changes)),
    /** Typing is no step: it replaces. */
    amend: (changes: Changes) => route(pathWith(changes), true),
  };
}

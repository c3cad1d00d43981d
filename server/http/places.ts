// Answers that stay open, each in a place: so many for a token and so many in all.
import type { ServerResponse } from 'node:http';
import { tooManyOpen, unavailable } from '../domain/errors.ts';

export type Places = {
  /** Holds a place until the response closes; throws when there is none. */
  take(response: ServerResponse, tokenId: string): void;
};

/** `what` is held open, in the plural. */
export function openPlaces(what: string, max: { all: number; perToken: number }): Places {
  const taken = new Map<string, number>();
  let all = 0;
  const count = (tokenId: string, change: 1 | -1): void => {
    all += change;
    const left = (taken.get(tokenId) ?? 0) + change;
    if (left === 0) taken.delete(tokenId);
    else taken.set(tokenId, left);
  };
  return {
    take: (response, tokenId) => {
      if (all >= max.all) throw unavailable(`the hub has its ${max.all} ${what} open; try again later`);
      if ((taken.get(tokenId) ?? 0) >= max.perToken) throw tooManyOpen(what, max.perToken);
      count(tokenId, 1);
      response.once('close', () => count(tokenId, -1));
    },
  };
}

// The rules that belong to one key, made of those in rules.ts.
import { isUsername } from '../domain/accounts/user.ts';
import { MAX_PASSWORD, MAX_USERNAME, MIN_PASSWORD, MIN_USERNAME } from '../domain/limits.ts';
import { isPostgresUrl, parameterProblem } from '../domain/postgres-url.ts';
import { codePoints } from '../domain/text/characters.ts';
import { listOf, matching, type Rule } from './rules.ts';

const MIN_METRICS_TOKEN = 16;

export const hosts = listOf(
  (item) => /^[^\s/@*.][^\s/@*]*$/.test(item),
  'names such as hub.example.org, comma-separated, without * or a leading dot',
);
export const origins = listOf(
  (item) => item === 'null' || /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@]+$/.test(item),
  'origins such as https://pages.example.org, comma-separated',
);
export const username = matching(
  (text) => isUsername(text) && isLong(text, MIN_USERNAME, MAX_USERNAME),
  `${MIN_USERNAME} to ${MAX_USERNAME} letters, digits, underscores or Chinese characters`,
);
export const password = matching(
  (text) => isLong(text, MIN_PASSWORD, MAX_PASSWORD),
  `${MIN_PASSWORD} to ${MAX_PASSWORD} characters`,
);
const wholeUrl = matching(
  isPostgresUrl,
  'a URL with a host and a database, such as postgres://agenthub:password@db.example.org/agenthub, with / as %2F and @ as %40 in the password',
);
export const databaseUrl: Rule<string> = (text, base) => {
  const url = wholeUrl(text, base);
  const problem = parameterProblem(url);
  if (problem !== undefined) throw new RangeError(problem);
  return url;
};
export const token = matching(
  (text) => text.length >= MIN_METRICS_TOKEN && /^[\x21-\x7e]+$/.test(text),
  `at least ${MIN_METRICS_TOKEN} ASCII characters without spaces`,
);

function isLong(text: string, min: number, max: number): boolean {
  return codePoints(text) >= min && codePoints(text) <= max;
}

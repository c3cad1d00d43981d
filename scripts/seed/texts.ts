// The names, tasks and results of the agents in the sample data.
import type { Draws } from '../support/random.ts';

const ROLES = [
  'builder',
  'reviewer',
  'tester',
  'planner',
  'docs',
  'release',
  'migrator',
  'profiler',
  '翻译',
  'triage',
] as const;

export const MACHINES = ['mars', 'venus', 'saturn', 'pluto'] as const;
export const MODELS = [
  ['claude-code', 'claude-opus-4'],
  ['codex', 'gpt-5-codex'],
  ['gemini-cli', 'gemini-2.5-pro'],
  ['cursor', 'claude-sonnet-4'],
] as const;

export function agentNames(count: number): string[] {
  return Array.from(
    { length: count },
    (_, index) => `${ROLES[index % ROLES.length]}-${Math.floor(index / ROLES.length) + 1}`,
  );
}

const VERBS = ['Fix', 'Review', 'Explain', 'Rewrite', 'Measure', 'Test', 'Document', 'Simplify'] as const;
const THINGS = [
  'the parser that accepts a trailing comma the grammar refuses',
  'the retry loop in the upload client, which never backs off',
  'the migration 0042 that locks the orders table for a minute',
  'the flaky test “a late reply is refused”',
  'the cold start of the worker, which takes 900 ms',
  'the README section on tokens, which still names the old command',
  'the memory growth of the importer under 10,000 rows',
  'the layout of the sign-in page (登录页面) on narrow screens',
] as const;

const ORDER = `Keep to these steps:

1. write a test that fails for the reason given;
2. change as little as needed to make it pass;
3. run \`npm test\` and paste the last line.

\`\`\`ts
export function parse(text: string): Node {
  return new Parser(text).program();
}
\`\`\``;

export function ask(draw: Draws, index: number): string {
  const line = `${draw.oneOf(VERBS)} ${draw.oneOf(THINGS)} (#${1000 + index})`;
  return index % 3 === 0 ? `${line}\n\n${ORDER}` : line;
}

const REPORT = `## Fixed: a guard was missing in \`accept()\`

- [x] a test that fails for the reason given
- [x] one line changed, see [the run](https://ci.example/runs/214)
- [ ] the same guard in \`peek()\`, which no test reaches

| suite | passed | failed |
|:------|-------:|-------:|
| unit  |    198 |      0 |
| e2e   |     16 |      0 |

\`\`\`diff
@@ -41,3 +41,3 @@ accept(kind) {
-    return this.tokens[this.at++];
+    return this.at < this.tokens.length ? this.tokens[this.at++] : undefined;
\`\`\``;

const OUTCOMES = [
  REPORT,
  'Reviewed. Two remarks: the new index is never used by the planner, and `limit` is read before it is checked.\n\n```sql\nEXPLAIN QUERY PLAN SELECT * FROM orders WHERE state = ?\n```',
  'It is 38% faster now: 560 ms instead of 900 ms at the median of 20 runs.',
  '已完成：布局在 375 px 下不再溢出，截图见附件。',
] as const;

const FAILURES = [
  'The test environment is gone: connect ECONNREFUSED 10.0.3.7:5432. I need it to be running to continue.',
  'I could not reproduce this in 200 runs. Please send the seed of a failing one.',
  'npm ci failed: the lock file names a version that the registry does not have.',
] as const;

export const outcome = (draw: Draws): string => draw.oneOf(OUTCOMES);
export const failure = (draw: Draws): string => draw.oneOf(FAILURES);

export const OUTPUT = `$ npm test
✓ types
✓ build
 RUN  v5.1.0

 ✓ test/store/tasks.test.ts (42 tests) 318ms
 ✓ test/api/rest.test.ts (57 tests) 1204ms
 ❯ test/stories/restart.test.ts (9 tests) running…
`;

// Patterns that are allowed in one place only, or nowhere: clocks, randomness, SQL, `any`, quaint words, and text that
// is not about the product. Every rule has samples that it must detect.
import { describe, expect, test } from 'vitest';
import { isCode, type SourceFile, sourceFiles, withoutComments, withoutTexts } from '../support/source-files.ts';

type Rule = {
  rule: string;
  pattern: RegExp;
  /** The part of a file that the pattern is matched against. */
  textOf: (file: SourceFile) => string;
  files: () => SourceFile[];
  /** The files where it is allowed. */
  allowedIn?: RegExp;
  samples: readonly string[];
};

const code = ({ text }: SourceFile): string => withoutComments(text);
const bareCode = ({ text }: SourceFile): string => withoutTexts(text);
const whole = ({ text }: SourceFile): string => text;

const server = (): SourceFile[] => sourceFiles('server');
const ourCode = (): SourceFile[] =>
  sourceFiles('server', 'console', 'build', 'scripts', 'test').filter(isCode).filter(isNotThis);
const tests = (): SourceFile[] => ourCode().filter(({ path }) => path.startsWith('test/'));
const documents = (): SourceFile[] => sourceFiles().filter(({ path }) => path.endsWith('.md'));
const english = (): SourceFile[] => [...ourCode(), ...documents()].filter(isEnglish);
const everything = (): SourceFile[] => sourceFiles().filter(isNotThis).map(withoutFunding);

const isEnglish = ({ path }: SourceFile): boolean => !path.startsWith('console/i18n/zh');

// This file contains the patterns and samples.
const isNotThis = ({ path }: SourceFile): boolean => path !== 'test/house/words.test.ts';

// npm writes funding URLs of packages into its lock file, which nothing here requests. The origin of a package counts.
function withoutFunding(file: SourceFile): SourceFile {
  return file.path === 'package-lock.json'
    ? { ...file, text: file.text.replace(/^(?!.*"resolved").*https:.*$/gm, '') }
    : file;
}

// After tokens that only a type follows. After a comma it can also be a name, unless a bracket closes behind it.
const ANY = String.raw`(?:(?:[:<|&]\s*|\bas\s+|\bextends\s+|\btype \w+ = )any\b(?!['(])|,\s*any\s*(?:\[\])?[>\]])`;
const STATEMENTS = [
  String.raw`SELECT\s[\s\S]{1,400}?\bFROM\b`,
  String.raw`INSERT\s+(OR\s+\w+\s+)?INTO\b`,
  String.raw`UPDATE\s+\w+\s+(AS\s+\w+\s+)?SET\b`,
  String.raw`DELETE\s+FROM\b`,
  String.raw`CREATE\s+(TABLE|INDEX)\b`,
  String.raw`PRAGMA\s+\w+`,
];
// Loopback addresses, reserved names, variables, and XML namespaces.
const RESERVED = String.raw`([\w-]+\.)*(example(\.(com|org|net))?|lan|local|test|invalid)(?![\w.-]*\.[a-z])`;
const OUR_HOSTS = String.raw`127\.0\.0\.1|localhost|0\.0\.0\.0|\[|\$|${RESERVED}|www\.w3\.org\/`;
const SERVICES = 'github|gitlab|npmjs|googleapis|jsdelivr|unpkg|cloudflare|amazonaws|openai|anthropic|docker|sentry';
const MACHINES = 'AI|LLM|Claude|GPT|ChatGPT|Copilot|Gemini|Codex|model|assistant|machine|language model';
const ORIGINS = [
  'co-authored-by',
  String.raw`\b(generated|written|made|produced|authored|assisted|drafted) (by|with) (an? |the )?(${MACHINES})\b`,
  String.raw`\bas an AI\b`,
  String.raw`\blanguage model\b`,
];

// Habits of earlier texts; see the style guide for what to write instead.
const QUAINT = [
  String.raw`\b(anew|whoever|nought|mend(s|ed|ing)?|beside|thereby)\b`,
  String.raw`\bof (its|their|his) own\b`,
  String.raw`\b(told of|next door|on trial|signs? of life|(falls?|fell|fallen) silent)\b`,
  String.raw`\b(breath(e|es|ing)?|knock(s|ed|ing)?|trespass\w*|homeless|sieved?|seldom|lately|hasty)\b`,
  String.raw`\b(he|his|him)\b`,
].join('|');

const RULES: readonly Rule[] = [
  {
    rule: 'the clock',
    pattern: /\bDate\.now\b/,
    textOf: code,
    files: server,
    allowedIn: /^server\/(domain\/time\/clock\.ts|OPERATING\.md)$/, // an example there runs elsewhere
    samples: ['const now = Date.now();'],
  },
  {
    rule: 'the current date',
    pattern: /\bnew Date\(\s*\)/,
    textOf: code,
    files: server,
    samples: ['new Date()', 'new Date( )'],
  },
  {
    rule: 'a clock inside SQL',
    pattern: /\bCURRENT_TIME(STAMP)?\b|\b(datetime|unixepoch|julianday|strftime)\(/i,
    textOf: code,
    files: server,
    samples: ['DEFAULT CURRENT_TIMESTAMP', "datetime('now')"],
  },
  {
    rule: 'randomness',
    pattern: /\bMath\.random\b|\brandom(UUID|Bytes|Int)\b|\bgetRandomValues\b/,
    textOf: code,
    files: server,
    allowedIn: /^server\/domain\/ids\/ids\.ts$/,
    samples: [
      'Math.random()',
      'crypto.randomUUID()',
      "import { randomBytes } from 'node:crypto'",
      'crypto.getRandomValues(bytes)',
    ],
  },
  {
    rule: 'the environment',
    pattern: /\bprocess\.env\b|\benv\b[^;\n]*= process\b/,
    textOf: code,
    files: server,
    allowedIn:
      /^server\/(OPERATING|cli\/(client\/(access\/(access|private-file)|hook-environment)|connect\/(client-files|opencode-plugin)|key-options|text-width|this-program|worker\/(command-run|work))|native\/libsql-addon|serve\/machine\/systemd)\.(ts|txt|md)$/,
    samples: ['process.env.HOME', 'const { env } = process;'],
  },
  {
    rule: 'SQL',
    pattern: new RegExp(`\\b(${STATEMENTS.join('|')})`),
    textOf: code,
    files: server,
    allowedIn: /^server\/store\//,
    samples: [
      "'SELECT 1 FROM tasks'",
      '`SELECT ${columns}\n FROM tasks`',
      "'INSERT OR REPLACE INTO tasks'",
      "'UPDATE tasks SET a = 1'",
      "'PRAGMA user_version'",
    ],
  },
  {
    rule: 'a column name that PostgreSQL folds to lower case',
    pattern: /\bAS [a-z]+[A-Z]/,
    textOf: code,
    files: server,
    samples: ["'SELECT max(message_seq) AS upTo FROM told_sessions'"],
  },
  {
    rule: 'the type any',
    pattern: new RegExp(ANY),
    textOf: bareCode,
    files: ourCode,
    samples: [
      'const x: any = 1',
      'x as any',
      'Promise<any>',
      'Record<string, any>',
      '[string, any[]]',
      '(x: any[]) => x',
      'type X = any;',
    ],
  },
  {
    rule: 'a suppressed compiler error',
    pattern: /@ts-(ignore|expect-error|nocheck)/,
    textOf: whole,
    files: ourCode,
    samples: ['// @ts-ignore', '// @ts-expect-error later'],
  },
  {
    rule: 'postponed work',
    pattern: /\b(TODO|FIXME|XXX|HACK)\b/,
    textOf: whole,
    files: everything,
    samples: ['// TODO: later', 'FIXME'],
  },
  {
    rule: 'a skipped test',
    pattern: /\.(only|skip|todo|fails)\(/,
    textOf: bareCode,
    files: tests,
    allowedIn: /^test\/support\//,
    samples: ["test.only('x', () => {})", "describe.skip('x', () => {})"],
  },
  {
    rule: 'an external host',
    pattern: new RegExp(
      `\\bhttps?:\\/\\/(?!${OUR_HOSTS})[\\w-]+\\.[\\w.-]+|\\b(${SERVICES})\\.(com|org|io|net|dev)\\b`,
      'i',
    ),
    textOf: whole,
    files: everything,
    samples: [
      'see https://docs.somewhere.net/x',
      'the registry at npmjs.org',
      'fetch("https://api.openai.com/v1")',
      'http://example.evil.com',
    ],
  },
  {
    rule: 'a quaint word',
    pattern: new RegExp(QUAINT, 'i'),
    textOf: whole,
    files: english,
    samples: [
      '// Whoever reads this',
      '// made anew',
      'nothing to install beside it',
      '// a thread of its own',
      '// is told of it',
      'the tenant next door',
      'a sign of life',
      '// sends a knock',
      'no token of his counts',
    ],
  },
  {
    rule: 'a British spelling',
    pattern:
      /(behavi|col|neighb|fav)our|licence|\b(serial|organ|recogn|synchron|initial|normal)is(e|ed|ing|ation)\b|\b(towards|grey|defence|full stops?|look-ups?)\b/i,
    textOf: whole,
    files: english,
    samples: ['the behaviour', 'Colours', 'a neighbouring tenant', 'a licence', 'serialised once', 'counts towards it'],
  },
  {
    rule: 'how this was produced',
    pattern: new RegExp(ORIGINS.join('|'), 'i'),
    textOf: whole,
    files: everything,
    samples: ['Co-authored-by: somebody', 'generated by an LLM', 'written with Copilot', 'as an AI I cannot'],
  },
];

const violations = ({ pattern, textOf, allowedIn }: Rule, files: SourceFile[]): string[] =>
  files
    .filter((file) => allowedIn?.test(file.path) !== true && pattern.test(textOf(file)))
    .map((file) => `${file.path}: ${pattern.exec(textOf(file))?.[0].trim()}`);

describe('occurs only where it is allowed:', () => {
  test.each(RULES)('$rule', (rule) => {
    const files = rule.files();
    expect(files.length).toBeGreaterThan(0);
    expect(violations(rule, files)).toEqual([]);
    if (rule.allowedIn !== undefined && rule.rule !== 'a skipped test') {
      expect(
        files.some((file) => rule.allowedIn?.test(file.path) && rule.pattern.test(rule.textOf(file))),
        'it occurs where it is allowed',
      ).toBe(true);
    }
  });
});

describe('is detected:', () => {
  test.each(RULES.flatMap((rule) => rule.samples.map((sample) => [rule.rule, sample, rule] as const)))(
    '%s: %s',
    (_, text, rule) => {
      expect(violations(rule, [{ path: 'server/elsewhere.ts', text }])).toHaveLength(1);
    },
  );
});

describe('is allowed:', () => {
  test.each<[string, string]>([
    ['the clock', '// Date.now is called elsewhere'],
    ['the current date', 'new Date(moment)'],
    ['SQL', "throw new Error('UPDATE the program')"],
    ['the type any', "expect(isAny(x), 'any of them'); const { label, any, options } = props"],
    ['an external host', 'http://127.0.0.1:4747/ https://hub.example.org/x http://hub/ http://www.w3.org/2000/svg'],
    ['how this was produced', 'an agent tasks another agent; the leading one, in brief'],
  ])('%s: %s', (name, text) => {
    const rule = RULES.find(({ rule }) => rule === name);
    expect(rule && violations(rule, [{ path: 'server/elsewhere.ts', text }])).toEqual([]);
  });
});

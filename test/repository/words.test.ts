// Words that stand in one place only, or nowhere: clocks, randomness, SQL, types that are none, and talk that is not of
// the product. Every rule brings a sample that it must catch.
import { describe, expect, test } from 'vitest';
import { isCode, type SourceFile, sourceFiles, withoutComments, withoutTexts } from '../support/source-files.ts';

type Rule = {
  rule: string;
  pattern: RegExp;
  /** What of a file the pattern is held against. */
  look: (file: SourceFile) => string;
  files: () => SourceFile[];
  /** Where it may stand. */
  home?: RegExp;
  samples: readonly string[];
};

const code = ({ text }: SourceFile): string => withoutComments(text);
const bareCode = ({ text }: SourceFile): string => withoutTexts(text);
const whole = ({ text }: SourceFile): string => text;

const server = (): SourceFile[] => sourceFiles('server');
const ourCode = (): SourceFile[] =>
  sourceFiles('server', 'console', 'build', 'scripts', 'test').filter(isCode).filter(isNotThis);
const tests = (): SourceFile[] => ourCode().filter(({ path }) => path.startsWith('test/'));
const product = (): SourceFile[] =>
  sourceFiles('server', 'console', 'build').filter((file) => isCode(file) && isEnglish(file));
const everything = (): SourceFile[] => sourceFiles().filter(isNotThis).map(withoutFunding);

const isEnglish = ({ path }: SourceFile): boolean => !path.startsWith('console/i18n/zh');

// The patterns and samples here would be caught by themselves.
const isNotThis = ({ path }: SourceFile): boolean => path !== 'test/repository/words.test.ts';

// npm writes into its lock file where each package asks for money; nobody here calls there. Where a package comes from
// counts.
function withoutFunding(file: SourceFile): SourceFile {
  return file.path === 'package-lock.json'
    ? { ...file, text: file.text.replace(/^(?!.*"resolved").*https:.*$/gm, '') }
    : file;
}

// After what only a type follows; after a comma it may also be a name, unless a bracket closes behind it.
const ANY = String.raw`(?:(?:[:<|&]\s*|\bas\s+|\bextends\s+|\btype \w+ = )any\b(?!['(])|,\s*any\s*(?:\[\])?[>\]])`;
const STATEMENTS = [
  String.raw`SELECT\s[\s\S]{1,400}?\bFROM\b`,
  String.raw`INSERT\s+(OR\s+\w+\s+)?INTO\b`,
  String.raw`UPDATE\s+\w+\s+(AS\s+\w+\s+)?SET\b`,
  String.raw`DELETE\s+FROM\b`,
  String.raw`CREATE\s+(TABLE|INDEX)\b`,
  String.raw`PRAGMA\s+\w+`,
];
// This machine, names that stand for no host, a variable, and the names of XML vocabularies.
const NOWHERE = String.raw`([\w-]+\.)*(example(\.(com|org|net))?|lan|local|test|invalid)(?![\w.-]*\.[a-z])`;
const OUR_HOSTS = String.raw`127\.0\.0\.1|localhost|0\.0\.0\.0|\[|\$|${NOWHERE}|www\.w3\.org\/`;
const SERVICES = 'github|gitlab|npmjs|googleapis|jsdelivr|unpkg|cloudflare|amazonaws|openai|anthropic|docker|sentry';
const MACHINES = 'AI|LLM|Claude|GPT|ChatGPT|Copilot|Gemini|Codex|model|assistant|machine|language model';
const TALK = [
  'co-authored-by',
  String.raw`\b(generated|written|made|produced|authored|assisted|drafted) (by|with) (an? |the )?(${MACHINES})\b`,
  String.raw`\bas an AI\b`,
  String.raw`\blanguage model\b`,
];

// Habits of earlier texts; see the style guide for what to write instead.
const QUAINT = [
  String.raw`\b(anew|whoever|nought|mend(s|ed|ing)?|beside|thereby)\b`,
  String.raw`\bof (its|their|his) own\b`,
  String.raw`\btold of\b`,
  String.raw`\b(he|his|him)\b`,
].join('|');

const RULES: readonly Rule[] = [
  {
    rule: 'the clock',
    pattern: /\bDate\.now\b/,
    look: code,
    files: server,
    home: /^server\/domain\/time\/clock\.ts$/,
    samples: ['const now = Date.now();'],
  },
  {
    rule: 'a moment of its own',
    pattern: /\bnew Date\(\s*\)/,
    look: code,
    files: server,
    samples: ['new Date()', 'new Date( )'],
  },
  {
    rule: 'a clock inside SQL',
    pattern: /\bCURRENT_TIME(STAMP)?\b|\b(datetime|unixepoch|julianday|strftime)\(/i,
    look: code,
    files: server,
    samples: ['DEFAULT CURRENT_TIMESTAMP', "datetime('now')"],
  },
  {
    rule: 'randomness',
    pattern: /\bMath\.random\b|\brandom(UUID|Bytes|Int)\b|\bgetRandomValues\b/,
    look: code,
    files: server,
    home: /^server\/domain\/ids\/ids\.ts$/,
    samples: [
      'Math.random()',
      'crypto.randomUUID()',
      "import { randomBytes } from 'node:crypto'",
      'crypto.getRandomValues(bytes)',
    ],
  },
  {
    rule: 'SQL',
    pattern: new RegExp(`\\b(${STATEMENTS.join('|')})`),
    look: code,
    files: server,
    home: /^server\/store\//,
    samples: [
      "'SELECT 1 FROM tasks'",
      '`SELECT ${columns}\n FROM tasks`',
      "'INSERT OR REPLACE INTO tasks'",
      "'UPDATE tasks SET a = 1'",
      "'PRAGMA user_version'",
    ],
  },
  {
    rule: 'a type that is none',
    pattern: new RegExp(ANY),
    look: bareCode,
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
    rule: 'a silenced compiler',
    pattern: /@ts-(ignore|expect-error|nocheck)/,
    look: whole,
    files: ourCode,
    samples: ['// @ts-ignore', '// @ts-expect-error later'],
  },
  {
    rule: 'work put off',
    pattern: /\b(TODO|FIXME|XXX|HACK)\b/,
    look: whole,
    files: everything,
    samples: ['// TODO: later', 'FIXME'],
  },
  {
    rule: 'a test left out',
    pattern: /\.(only|skip|todo|fails)\(/,
    look: bareCode,
    files: tests,
    home: /^test\/support\//,
    samples: ["test.only('x', () => {})", "describe.skip('x', () => {})"],
  },
  {
    rule: 'a host of somebody else',
    pattern: new RegExp(
      `\\bhttps?:\\/\\/(?!${OUR_HOSTS})[\\w-]+\\.[\\w.-]+|\\b(${SERVICES})\\.(com|org|io|net|dev)\\b`,
      'i',
    ),
    look: whole,
    files: everything,
    samples: [
      'see https://docs.somewhere.net/x',
      'the registry at npmjs.org',
      'fetch("https://api.openai.com/v1")',
      'http://example.evil.com',
    ],
  },
  {
    rule: 'a word that no technical text uses',
    pattern: new RegExp(QUAINT, 'i'),
    look: whole,
    files: product,
    samples: [
      '// Whoever reads this',
      '// made anew',
      'nothing to install beside it',
      '// a thread of its own',
      '// is told of it',
      'no token of his counts',
    ],
  },
  {
    rule: 'talk of how this came about',
    pattern: new RegExp(TALK.join('|'), 'i'),
    look: whole,
    files: everything,
    samples: ['Co-authored-by: somebody', 'generated by an LLM', 'written with Copilot', 'as an AI I cannot'],
  },
];

const offences = ({ pattern, look, home }: Rule, files: SourceFile[]): string[] =>
  files
    .filter((file) => home?.test(file.path) !== true && pattern.test(look(file)))
    .map((file) => `${file.path}: ${pattern.exec(look(file))?.[0].trim()}`);

describe('stands in its one place, or nowhere:', () => {
  test.each(RULES)('$rule', (rule) => {
    const files = rule.files();
    expect(files.length).toBeGreaterThan(0);
    expect(offences(rule, files)).toEqual([]);
    if (rule.home !== undefined && rule.rule !== 'a test left out') {
      expect(
        files.some((file) => rule.home?.test(file.path) && rule.pattern.test(rule.look(file))),
        'it does stand in its place',
      ).toBe(true);
    }
  });
});

describe('would be caught:', () => {
  test.each(RULES.flatMap((rule) => rule.samples.map((sample) => [rule.rule, sample, rule] as const)))(
    '%s: %s',
    (_, text, rule) => {
      expect(offences(rule, [{ path: 'server/elsewhere.ts', text }])).toHaveLength(1);
    },
  );
});

describe('is let be:', () => {
  test.each<[string, string]>([
    ['the clock', '// Date.now is asked elsewhere'],
    ['a moment of its own', 'new Date(moment)'],
    ['SQL', "throw new Error('UPDATE the program')"],
    ['a type that is none', "expect(isAny(x), 'any of them'); const { label, any, options } = props"],
    [
      'a host of somebody else',
      'http://127.0.0.1:4747/ https://hub.example.org/x http://hub/ http://www.w3.org/2000/svg',
    ],
    ['talk of how this came about', 'an agent tasks another agent; the leading one, in brief'],
  ])('%s: %s', (name, text) => {
    const rule = RULES.find(({ rule }) => rule === name);
    expect(rule && offences(rule, [{ path: 'server/elsewhere.ts', text }])).toEqual([]);
  });
});

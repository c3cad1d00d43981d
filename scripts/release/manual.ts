// The documents that the archives and packages contain: those for users, without links to files that only the
// repository has.
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { sourceDate } from '../../build/source-date.ts';
import { ROOT } from '../../build/step.ts';
import manifest from '../../package.json' with { type: 'json' };

const CHANGELOG = 'CHANGELOG.md';

/** In the same places as in the repository, so that their links to each other work. */
export const MANUAL = [
  'README.md',
  'LICENSE',
  CHANGELOG,
  '.github/SECURITY.md',
  '.github/console.png',
  'server/OPERATING.md',
  'server/REFERENCE.md',
  'server/SPECIFICATION.md',
];

/** The section of the README for those who change the code. */
const IN_THE_CODE = /\n### In the code\n[^]*?(?=\nagenthub is released under)/;

export function writeManual(directory: string): void {
  for (const file of MANUAL) {
    const copy = join(directory, file);
    mkdirSync(dirname(copy), { recursive: true });
    if (file.endsWith('.md')) writeFileSync(copy, manualText(file));
    else copyFileSync(join(ROOT, file), copy);
    chmodSync(copy, 0o644);
  }
}

/** The changelog of a release: what was not released before is the content of this version. */
export function changelogOf(
  version: string,
  released: Date,
  text = readFileSync(join(ROOT, CHANGELOG), 'utf8'),
): string {
  const heading = `## [${version}]`;
  if (text.includes(heading)) return text;
  return text.replace('## [Unreleased]', `${heading} - ${released.toISOString().slice(0, 10)}`);
}

export function releasedChangelog(): string {
  return changelogOf(manifest.version, sourceDate());
}

const OF_RELEASE = `
> This copy belongs to a release, which needs no build: leave out \`npm ci\` and \`npm start\`, and run the \`agenthub\` of the
> archive or the package instead of \`dist/agenthub\`; see [Install as a service](server/OPERATING.md#install-as-a-service).
`;

/** A document of the manual. Links to files that it lacks become text; rows about them are left out. */
export function manualText(file: string): string {
  const whole = file === CHANGELOG ? releasedChangelog() : readFileSync(join(ROOT, file), 'utf8');
  const text = file === 'README.md' ? readmeOfRelease(whole) : whole;
  const isMissing = (link: string): boolean => !linksOf(link).every((target) => isInManual(file, target));
  return text
    .split('\n')
    .filter((line) => !(/^\| \[/.test(line) && isMissing(line.split(' | ')[0] ?? '')))
    .map((line) => line.replace(LINK, (link, label: string) => (isMissing(link) ? label : link)))
    .join('\n');
}

function readmeOfRelease(text: string): string {
  return text.replace(IN_THE_CODE, '').replace(/^# .*\n/, (title) => title + OF_RELEASE);
}

const LINK = /\[([^\]]+)\]\(([^)\s]+)\)/g;

/** The files to which a text links, as written there. */
export function linksOf(text: string): string[] {
  return [...text.matchAll(LINK)]
    .map(([, , target = '']) => target.replace(/#.*/, ''))
    .filter((target) => target !== '' && !target.includes(':'));
}

function isInManual(file: string, target: string): boolean {
  const path = normalize(join(dirname(file), target));
  if (!existsSync(join(ROOT, path))) throw new Error(`${file} links to ${target}, which does not exist`);
  return MANUAL.includes(path);
}

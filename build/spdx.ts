// Formats the list of third-party parts as SPDX 2.3, so that other tools can read it. It includes the license texts,
// because most licenses require them with every copy.
import type { Part } from './inside.ts';

export type Released = { version: string; target: string; created: Date };

const SPDX_OF_SELF = 'SPDXRef-agenthub';

export function spdxDocument({ version, target, created }: Released, parts: readonly Part[], ownNotice: string) {
  const packages = parts.map(packageOf);
  return {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: `agenthub-${version}-${target}`,
    documentNamespace: `urn:agenthub:spdx:${version}:${target}:${created.getTime()}`,
    creationInfo: { created: created.toISOString().replace(/\.\d+Z$/, 'Z'), creators: ['Tool: agenthub-build'] },
    packages: [own(version, ownNotice), ...packages],
    relationships: [
      relation('SPDXRef-DOCUMENT', 'DESCRIBES', SPDX_OF_SELF),
      ...packages.map(({ SPDXID }) => relation(SPDX_OF_SELF, 'CONTAINS', SPDXID)),
    ],
  };
}

const UNKNOWN = 'NOASSERTION';

function own(version: string, notice: string) {
  return {
    SPDXID: SPDX_OF_SELF,
    name: 'agenthub',
    versionInfo: version,
    downloadLocation: UNKNOWN,
    filesAnalyzed: false,
    licenseConcluded: 'MIT',
    licenseDeclared: 'MIT',
    copyrightText: copyrightIn(notice),
    attributionTexts: [notice],
  };
}

function packageOf({ name, version, license, integrity, notice }: Part) {
  return {
    SPDXID: `SPDXRef-${`${name}-${version}`.replace(/[^A-Za-z0-9.-]+/g, '-').replace(/^-/, '')}`,
    name,
    versionInfo: version,
    downloadLocation: UNKNOWN,
    filesAnalyzed: false,
    licenseConcluded: UNKNOWN,
    licenseDeclared: license,
    copyrightText: copyrightIn(notice),
    attributionTexts: [notice],
    ...(commentOn(name) !== undefined && { comment: commentOn(name) }),
    ...(integrity?.startsWith('sha512-') === true && {
      checksums: [
        {
          algorithm: 'SHA512',
          checksumValue: Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex'),
        },
      ],
    }),
    externalRefs: [
      {
        referenceCategory: 'PACKAGE-MANAGER',
        referenceType: 'purl',
        referenceLocator: `pkg:npm/${name.replace('@', '%40')}@${version}`,
      },
    ],
  };
}

/** Code that is compiled into a package is known only to its publisher, and is not listed individually. */
function commentOn(name: string): string | undefined {
  if (/^@libsql\/(linux|darwin|win32)-/.test(name))
    return 'A native library: SQLite, which is in the public domain, libSQL, and the Rust crates that its publisher built it with.';
  return /^node-(linux|darwin|win)-/.test(name)
    ? 'Node.js with its bundled libraries, which its license text lists.'
    : undefined;
}

function copyrightIn(notice: string): string {
  const lines = notice
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /^(\(c\)|copyright\b.*(\d{4}|\(c\)|©|by ))/i.test(line));
  return lines.length === 0 ? UNKNOWN : [...new Set(lines)].slice(0, 5).join('\n');
}

function relation(spdxElementId: string, relationshipType: string, relatedSpdxElement: string) {
  return { spdxElementId, relationshipType, relatedSpdxElement };
}

// Recognizes pull requests and branches in the addresses of source code hosts, and builds such addresses.
import { webAddress } from './addresses.ts';

export type Reference = { kind: 'pull' | 'branch'; name: string; address: string };

/** Where a project is, and the paths that its host uses. */
type Project = { address: string; name: string; forge: Forge };
type Forge = Record<Reference['kind'], string>;

/** The usual paths below the address of a project. */
const FORGES: readonly Forge[] = [
  { pull: '-/merge_requests', branch: '-/tree' },
  { pull: 'pull-requests', branch: 'branch' },
  { pull: 'pulls', branch: 'src/branch' },
  { pull: 'pull', branch: 'tree' },
];
const KINDS = ['pull', 'branch'] as const;
const NAMES = { pull: /^\d+(?=\/|$)/, branch: /^[^?#]+$/ };
const PULL = /^(?:PR|MR|pull request|merge request)?\s*[#!](\d+)$/i;
const BRANCH = /^(?:branch[:\s]\s*|refs\/heads\/)(\S+)$/i;

/** What a web address refers to. */
export function referenceIn(target: string): Reference | undefined {
  return found(target)?.reference;
}

/** The address of `#12` or `branch: fix`, in the project that the other artifacts are in. */
export function referenceAmong(artifact: string, others: readonly string[]): Reference | undefined {
  const project = others.map((other) => found(other)?.project).find((each) => each !== undefined);
  if (project === undefined) return undefined;
  const [, pull] = PULL.exec(artifact) ?? [];
  const [, branch] = BRANCH.exec(artifact) ?? [];
  if (pull !== undefined) return referenceTo(project, 'pull', pull);
  return branch === undefined ? undefined : referenceTo(project, 'branch', branch);
}

function referenceTo({ address, name, forge }: Project, kind: Reference['kind'], of: string): Reference {
  const path = of.toWellFormed().split('/').map(encodeURIComponent).join('/');
  return { kind, name: kind === 'pull' ? `${name}#${of}` : of, address: `${address}/${forge[kind]}/${path}` };
}

function found(target: string): { project: Project; reference: Reference } | undefined {
  const address = webAddress(target);
  if (address === undefined) return undefined;
  const { origin, pathname } = new URL(address);
  for (const forge of FORGES)
    for (const kind of KINDS) {
      const [project = '', rest] = pathname.slice(1).split(`/${forge[kind]}/`);
      const [name] = NAMES[kind].exec(decoded(rest ?? '').replace(/\/$/, '')) ?? [];
      if (name === undefined || !/^[^/]+\/[^/]/.test(project)) continue;
      return {
        project: { address: `${origin}/${project}`, name: project, forge },
        reference: { kind, name: kind === 'pull' ? `${project}#${name}` : name, address },
      };
    }
  return undefined;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

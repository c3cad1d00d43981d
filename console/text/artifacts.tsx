// What came out of some work: web addresses, pull requests and branches are links, other names are text.
import { words } from '../i18n/language.ts';
import { referenceAmong, referenceIn } from './references.ts';
import { WebLink } from './web-link.tsx';

export function Artifacts({ artifacts }: { artifacts: readonly string[] }) {
  if (artifacts.length === 0) return null;
  return (
    <p class="artifacts">
      {words.value.agent.artifacts}{' '}
      {artifacts.map((artifact, index) => (
        <span key={index} class="artifact" dir="auto">
          <Artifact artifact={artifact} others={artifacts} />
        </span>
      ))}
    </p>
  );
}

function Artifact({ artifact, others }: { artifact: string; others: readonly string[] }) {
  const reference = referenceIn(artifact) ?? referenceAmong(artifact, others);
  const label = reference === undefined ? artifact : words.value.text[reference.kind](reference.name);
  return (
    <WebLink target={reference?.address ?? artifact} label={label}>
      {label}
    </WebLink>
  );
}

// Who the hub is and what it can do: asked in the legacy era by `initialize`, in the modern one by `server/discover`.
import type { Call } from './call.ts';
import { LEGACY_VERSIONS, MODERN_VERSIONS } from './eras.ts';
import { INSTRUCTIONS } from './instructions.ts';

const CAPABILITIES = { tools: {}, resources: {}, prompts: {}, completions: {} };

export function initialize({ hub, params }: Call): string {
  const wanted = LEGACY_VERSIONS.find((version) => version === params.protocolVersion);
  return JSON.stringify({
    protocolVersion: wanted ?? LEGACY_VERSIONS[0],
    capabilities: CAPABILITIES,
    serverInfo: serverInfo(hub.version),
    instructions: INSTRUCTIONS,
  });
}

// A legacy client would hear of changed resources on a GET stream, which needs a session.
const DISCOVERED = JSON.stringify({
  supportedVersions: MODERN_VERSIONS,
  capabilities: { ...CAPABILITIES, resources: { subscribe: true } },
  instructions: INSTRUCTIONS,
});

export function discover(): string {
  return DISCOVERED;
}

export function serverInfo(version: string) {
  return { name: 'agenthub', version };
}

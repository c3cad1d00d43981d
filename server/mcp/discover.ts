// Describes the hub and its capabilities: `initialize` in the legacy era, `server/discover` in the modern one.
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

// Only modern clients can subscribe: legacy ones need a GET stream, which requires a session.
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

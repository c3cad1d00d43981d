// The Kubernetes manifests of OPERATING.md fit together, and a hub with their environment accepts their probes.
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { sendRaw } from '../support/http/raw-request.ts';
import { isObject, type JsonObject, listOf, objectOf, textOf } from '../support/json.ts';
import { startHub, storyOnce } from '../support/process/running-hub.ts';
import { readmeBlocks } from '../support/readme.ts';

/** What the image sets; see scripts/release/image.ts. */
const IMAGE = { AGENTHUB_HOST: '0.0.0.0' };
const POD = '10.1.2.3:4747';

const BLOCKS = readmeBlocks('Container image', 'yaml').map(({ text }) => text);
const MANIFESTS = BLOCKS.flatMap((text) => parseAllDocuments(text).map((each): unknown => each.toJS())).filter(
  isObject,
);

const ofKind = (kind: string): JsonObject => {
  const found = MANIFESTS.filter((manifest) => manifest.kind === kind);
  expect(found).toHaveLength(1);
  return found[0] ?? {};
};
const nameOf = (kind: string): string => textOf(objectOf(ofKind(kind), 'metadata'), 'name');
const pod = (): JsonObject => objectOf(objectOf(ofKind('Deployment'), 'spec'), 'template');
const container = (): JsonObject => listOf(objectOf(pod(), 'spec'), 'containers')[0] ?? {};

const environment = (): Record<string, string> =>
  Object.fromEntries(listOf(container(), 'env').map((entry) => [textOf(entry, 'name'), textOf(entry, 'value')]));

test('each block is valid YAML', () => {
  expect(BLOCKS).toHaveLength(2);
  expect(() => parse(BLOCKS[0] ?? '')).not.toThrow();
  for (const document of parseAllDocuments(BLOCKS[1] ?? '')) expect(document.errors).toEqual([]);
});

test('the service reaches the port of the container, and the deployment mounts the claim', () => {
  const service = objectOf(ofKind('Service'), 'spec');
  const deployment = objectOf(ofKind('Deployment'), 'spec');
  const labels = objectOf(objectOf(pod(), 'metadata'), 'labels');
  expect(objectOf(service, 'selector')).toEqual(labels);
  expect(objectOf(objectOf(deployment, 'selector'), 'matchLabels')).toEqual(labels);
  const [port] = listOf(container(), 'ports');
  expect(listOf(service, 'ports')).toMatchObject([{ port: port?.containerPort }]);
  const [volume] = listOf(objectOf(pod(), 'spec'), 'volumes');
  expect(volume).toMatchObject({ persistentVolumeClaim: { claimName: nameOf('PersistentVolumeClaim') } });
  expect(listOf(container(), 'volumeMounts')).toMatchObject([{ name: volume?.name, mountPath: '/data' }]);
});

storyOnce('a hub with the environment of the deployment', (target) => {
  test('accepts its probes under the address of the pod, and clients under the names of the service', async () => {
    const hub = await startHub({ target, env: { ...IMAGE, ...environment() } });
    const url = hub.url.replace(/\/\/[^:]+/, '//127.0.0.1');
    const status = async (path: string, host: string) =>
      (await sendRaw(url, { method: 'GET', path, headers: { Host: host } })).status;
    for (const kind of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
      const { path, port } = objectOf(objectOf(container(), kind), 'httpGet');
      expect(port).toBe(4747);
      expect(await status(String(path), POD), kind).toBe(200);
    }
    const service = nameOf('Service');
    for (const host of [service, `${service}:4747`, `${service}.default.svc:4747`, 'hub.example.org'])
      expect(await status('/health', host), host).toBe(200);
    for (const path of ['/health', '/metrics', '/', '/health/live/', '/health/ready/x', '/api/tasks'])
      expect(await status(path, POD), path).toBe(403);
    expect(await hub.kill('SIGKILL')).toMatchObject({ signal: 'SIGKILL' }); // it would drain for 20 seconds
  });
});

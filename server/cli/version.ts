// version: the version of this program and what it runs on.
import { VERSION } from '../version.ts';
import { facts, sayAnswer, type OutputOptions } from './output.ts';

export async function version(options: OutputOptions): Promise<void> {
  const known = { version: VERSION, node: process.versions.node, platform: `${process.platform}-${process.arch}` };
  sayAnswer(options, known, () => facts(Object.entries({ agenthub: known.version, node: known.node, platform: known.platform })));
}

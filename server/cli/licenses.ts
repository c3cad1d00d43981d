// licenses: what of others is inside this executable, and in which words they ask to be named.
import * as v from 'valibot';
import { readAsset } from '../native/assets.ts';
import { CommandError } from './exit-codes.ts';
import { sayExact, table, type OutputOptions } from './output.ts';

const list = v.object({
  packages: v.array(v.object({ name: v.string(), versionInfo: v.string(), licenseDeclared: v.string(), attributionTexts: v.array(v.string()) })),
});

type Package = v.InferOutput<typeof list>['packages'][number];

/** As JSON it is the whole SPDX document, as the build made it. */
export async function licenses({ output, full }: OutputOptions & { full?: boolean }): Promise<void> {
  const asset = readAsset('licenses.spdx.json');
  if (asset === undefined) throw new CommandError('the list of licences is made by the build: npm run build');
  const text = Buffer.from(asset).toString('utf8');
  if (output === 'json') return sayExact(text.trimEnd());
  const { packages } = v.parse(list, JSON.parse(text));
  sayExact(full === true ? packages.map(inFull).join('\n\n') : table(['NAME', 'VERSION', 'LICENCE'], packages.map(({ name, versionInfo, licenseDeclared }) => [name, versionInfo, licenseDeclared])));
}

function inFull({ name, versionInfo, licenseDeclared, attributionTexts }: Package): string {
  const title = `${name} ${versionInfo} (${licenseDeclared})`;
  return [title, '='.repeat(title.length), ...attributionTexts].join('\n');
}

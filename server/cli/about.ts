// version and licenses: this program, and the packages inside the executable with their licences.
import * as v from 'valibot';
import { readAsset } from '../native/assets.ts';
import { VERSION } from '../version.ts';
import { CommandError } from './exit-codes.ts';
import { facts, type OutputOptions, sayAnswer, sayExact, table } from './output.ts';

export async function version(options: OutputOptions): Promise<void> {
  const known = { version: VERSION, node: process.versions.node, platform: `${process.platform}-${process.arch}` };
  sayAnswer(options, known, () =>
    facts(Object.entries({ agenthub: known.version, node: known.node, platform: known.platform })),
  );
}

const list = v.object({
  packages: v.array(
    v.object({
      name: v.string(),
      versionInfo: v.string(),
      licenseDeclared: v.string(),
      attributionTexts: v.array(v.string()),
    }),
  ),
});

type Package = v.InferOutput<typeof list>['packages'][number];

/** As JSON it is the whole SPDX document, as the build made it. */
export async function licenses({ output, full }: OutputOptions & { full?: boolean }): Promise<void> {
  const asset = readAsset('licenses.spdx.json');
  if (asset === undefined) throw new CommandError('the list of licences is made by the build: npm run build');
  const text = Buffer.from(asset).toString('utf8');
  if (output === 'json') return sayExact(text.trimEnd());
  const { packages } = v.parse(list, JSON.parse(text));
  sayExact(
    full === true
      ? packages.map(inFull).join('\n\n')
      : table(
          ['NAME', 'VERSION', 'LICENCE'],
          packages.map(({ name, versionInfo, licenseDeclared }) => [name, versionInfo, licenseDeclared]),
        ),
  );
}

function inFull({ name, versionInfo, licenseDeclared, attributionTexts }: Package): string {
  const title = `${name} ${versionInfo} (${licenseDeclared})`;
  return [title, '='.repeat(title.length), ...attributionTexts].join('\n');
}

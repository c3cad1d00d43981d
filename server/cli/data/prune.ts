// prune: runs the hourly pruning of the hub now, or only counts what it would delete.
import { pruneHub } from '../../operations/operator/prune.ts';
import { effectiveConfig, type GivenOptions } from '../key-options.ts';
import { facts, type OutputOptions, sayAnswer } from '../output.ts';
import { type ConfirmOptions, confirm } from '../prompt.ts';
import { asOperator } from './as-operator.ts';

type Options = OutputOptions & ConfirmOptions & { dryRun?: true } & GivenOptions;

export async function pruneCommand({ output, dryRun, yes, ...flags }: Options): Promise<void> {
  const { config, origins } = effectiveConfig(flags);
  const given = Object.entries(config).filter(([name]) => name.startsWith('keep_') && origins[name]?.source === 'flag');
  const prune = (dry_run: boolean) =>
    asOperator({ data: config.data }, pruneHub, { dry_run, ...Object.fromEntries(given) });
  if (!dryRun) await confirm({ ...(yes && { yes }) }, async () => `This deletes\n${countsOf(await prune(true))}`);
  const answer = await prune(dryRun === true);
  sayAnswer({ output }, answer, () => `${dryRun ? 'would delete' : 'deleted'}\n${countsOf(answer)}`);
}

function countsOf({ pruned }: Awaited<ReturnType<typeof pruneHub.run>>): string {
  const { audit_entries, ...rest } = pruned;
  return facts([...Object.entries(rest), ['audit entries', audit_entries]]);
}

// prune: runs the hourly pruning of the hub now, or only counts what it would delete.
import { pruneHub } from '../../operations/operator/prune.ts';
import { effectiveConfig, type GivenOptions } from '../key-options.ts';
import { facts, type OutputOptions, sayAnswer } from '../output.ts';
import { asOperator } from './as-operator.ts';

type Options = OutputOptions & { dryRun?: true } & GivenOptions;

export async function pruneCommand({ output, dryRun, ...flags }: Options): Promise<void> {
  const { config, origins } = effectiveConfig(flags);
  const given = Object.entries(config).filter(([name]) => name.startsWith('keep_') && origins[name]?.source === 'flag');
  const answer = await asOperator({ data: config.data }, pruneHub, {
    dry_run: dryRun === true,
    ...Object.fromEntries(given),
  });
  sayAnswer({ output }, answer, ({ dry_run, pruned }) => {
    const { audit_entries, ...rest } = pruned;
    return `${dry_run ? 'would delete' : 'deleted'}\n${facts([...Object.entries(rest), ['audit entries', audit_entries]])}`;
  });
}

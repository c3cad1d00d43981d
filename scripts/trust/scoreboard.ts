// The scoreboard: a line per row while they run, a table at the end, and both formats as files.
import { availableParallelism } from 'node:os';
import { isPassed, type Result } from './trial.ts';

export type Run = { seed: number; size: string; program: string; startedAt: string; tookMs: number };

const WORDS = { true: 'pass', false: 'FAIL', undefined: 'skipped' } as const;

export function progressLine(result: Result, elapsedMs: number): string {
  const complaints = 'complaints' in result.finding ? result.finding.complaints : [];
  const line = `${seconds(elapsedMs).padStart(7)}  ${verdict(result).padEnd(7)}  ${result.row.name.padEnd(20)} ${figureOf(result)}  (${seconds(result.tookMs)})`;
  return [line, ...complaints.slice(0, 5).map((complaint) => `${' '.repeat(18)}${complaint}`)].join('\n');
}

export function scoreboard(results: readonly Result[], run: Run): string {
  const head = ['promise', 'test', 'figure', 'target', ''];
  const rows = results.map((result) => [
    result.row.promise,
    result.test,
    figureOf(result),
    result.row.target,
    verdict(result),
  ]);
  const machine = `${availableParallelism()} processors, Node ${process.versions.node}`;
  return [
    `# Trust: ${summary(results)}`,
    '',
    `${run.program}, ${run.size}, ${machine}; ${run.startedAt}, took ${seconds(run.tookMs)}; --seed ${run.seed} repeats the draws`,
    '',
    line(head),
    line(head.map(() => '---')),
    ...rows.map(line),
    '',
    ...complaintLines(results),
  ].join('\n');
}

export function scoreboardJson(results: readonly Result[], run: Run): string {
  const rows = results.map((result) => ({
    name: result.row.name,
    promise: result.row.promise,
    test: result.test,
    target: result.row.target,
    ...result.finding,
    verdict: verdict(result).toLowerCase(),
    took_ms: Math.round(result.tookMs),
  }));
  return `${JSON.stringify({ ...run, tookMs: Math.round(run.tookMs), rows }, null, 2)}\n`;
}

function summary(results: readonly Result[]): string {
  const count = (passed: boolean | undefined): number => results.filter((result) => isPassed(result) === passed).length;
  return `${count(true)} promises kept, ${count(false)} broken, ${count(undefined)} not tried`;
}

function complaintLines(results: readonly Result[]): string[] {
  return results.flatMap(({ row, finding }) =>
    'complaints' in finding ? finding.complaints.map((complaint) => `- ${row.name}: ${complaint}`) : [],
  );
}

function figureOf({ finding }: Result): string {
  return 'skipped' in finding ? finding.skipped : finding.figure;
}

function verdict(result: Result): string {
  return WORDS[`${isPassed(result)}`];
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

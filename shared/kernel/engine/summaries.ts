import type { ExecutionId } from '../ids.ts';

/** One-line summaries of workflows for the engine's UI. */

interface SummarisedRun {
  name: string;
  chip_id: string;
  execution_id: ExecutionId;
}

/** All runs of a project share one workflow id; the summary distinguishes them. */
export function runSummary({ name, chip_id, execution_id }: SummarisedRun): string {
  return `${name} · ${chip_id} · ${execution_id}`;
}

export function stageSummary({ name, run }: { name: string; run: SummarisedRun }): string {
  return `${name} · ${runSummary(run)}`;
}

export function scheduleSummary({
  flow_name,
  schedule_id,
}: {
  flow_name: string;
  schedule_id: string;
}): string {
  return `${flow_name} · schedule ${schedule_id}`;
}

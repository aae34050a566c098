/** Which task results keep their files. Pure. */
import type { ResultFiles } from '../results/model.ts';
import type { RetentionOutcome } from './model.ts';

export type Referrer = keyof RetentionOutcome['kept'];

/** Ids of the results of a project that something refers to. */
export interface References {
  current: ReadonlySet<string>;
  issues: ReadonlySet<string>;
  cases: ReadonlySet<string>;
}

/** What refers to a result, so that its files are kept; null if nothing does. */
export function referrerOf(result: ResultFiles, { current, issues, cases }: References): Referrer | null {
  const { task_id, user_note, excluded, excluded_at } = result;
  if (current.has(task_id)) return 'current_value';
  if (user_note && user_note.content !== '') return 'note';
  if (issues.has(task_id)) return 'issue';
  // Also of a result that was included again: somebody had to look at its data.
  if (excluded || excluded_at) return 'exclusion';
  return cases.has(task_id) ? 'knowledge_case' : null;
}

/** All files of a result, relative to the calibration data root. */
export function filesOf({
  figure_path,
  json_figure_path,
  raw_data_path,
  passes = [],
}: ResultFiles): string[] {
  return [
    ...figure_path,
    ...json_figure_path,
    ...raw_data_path,
    ...passes.flatMap((pass) => pass.raw_data_path),
  ];
}

/** Splits the results of a run. A file that a kept result shows too, because both were measured at once, is kept. */
export function divided(results: readonly ResultFiles[], references: References) {
  const kept = new Map<Referrer, number>();
  const keptFiles = new Set<string>();
  const deleted: ResultFiles[] = [];
  for (const result of results) {
    const referrer = referrerOf(result, references);
    if (referrer === null) deleted.push(result);
    else {
      kept.set(referrer, (kept.get(referrer) ?? 0) + 1);
      for (const file of filesOf(result)) keptFiles.add(file);
    }
  }
  const files = new Set(deleted.flatMap(filesOf).filter((file) => !keptFiles.has(file)));
  return { kept, deleted: deleted.filter((result) => filesOf(result).length > 0), files: [...files] };
}

import type { AnalysisInput } from './model.ts';

/** Subject of a figure in its title: `CheckRabi · qubit 3`, `CheckZX90 · coupling 0-1`. */
export function subjectOf({ task, qid }: Pick<AnalysisInput, 'task' | 'qid'>): string {
  return `${task.name} · ${task.taskType === 'coupling' ? 'coupling' : 'qubit'} ${qid}`;
}

/** Name of a fit in a figure's legend, with its r²: `damped fit, r² = 0.9987`. */
export function fitName(r2: number, damped = false): string {
  return `${damped ? 'damped fit' : 'fit'}, r² = ${r2.toFixed(4)}`;
}

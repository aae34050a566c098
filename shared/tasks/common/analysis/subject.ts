import type { AnalysisInput } from './model.ts';

/** What a figure's title says of its subject: `CheckRabi · qubit 3`, `CheckZX90 · coupling 0-1`. */
export function subjectOf({ task, qid }: Pick<AnalysisInput, 'task' | 'qid'>): string {
  return `${task.name} · ${task.taskType === 'coupling' ? 'coupling' : 'qubit'} ${qid}`;
}

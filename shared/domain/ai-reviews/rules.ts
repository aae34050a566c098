import { CalibronError } from '../../kernel/errors.ts';
import type { TaskId } from '../../kernel/ids.ts';
import { QUBITS_PER_MUX } from '../../science/conventions/multiplexer.ts';
import type { TaskDefinition } from '../../tasks/model.ts';
import {
  type AiReviewDocument,
  LABELS,
  type ReviewQuality,
  type ReviewRunDocument,
  type Verdict,
} from './model.ts';

/** Whether a result is a copy of a measurement that covers a whole mux; its first qubit holds the original. */
export function isMuxCopy(task: Pick<TaskDefinition, 'scope'> | undefined, qid: string): boolean {
  return task?.scope === 'mux' && Number(qid) % QUBITS_PER_MUX !== 0;
}

/** The day named in a request; null for the newest results. @throws bad_request */
export function readDay(date: string | null | undefined): string | null {
  if (date === null || date === undefined || date === '' || date === 'latest') return null;
  const [, year, month, day] = /^(\d{4})-?(\d{2})-?(\d{2})$/.exec(date) ?? [];
  const text = `${year}-${month}-${day}`;
  const time = new Date(`${text}T00:00:00Z`);
  if (year && !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text))
    return text.replaceAll('-', '');
  throw new CalibronError('bad_request', 'date is a day as YYYYMMDD, or latest.');
}

/** Whether a review has not ended yet. */
export function isLeft({ status }: Pick<AiReviewDocument, 'status'>): boolean {
  return status === 'requested' || status === 'running';
}

/** The user whose share of the queues a run of reviews uses. */
export function shareUserOf({
  requested_by,
  requested_by_user_id,
}: Pick<ReviewRunDocument, 'requested_by' | 'requested_by_user_id'>): string {
  return requested_by_user_id ?? requested_by;
}

/** Sorts reviews by target: qubits by number, then couplings, then by task id. */
export function byTarget(
  a: Pick<AiReviewDocument, 'qid' | 'task_id'>,
  b: Pick<AiReviewDocument, 'qid' | 'task_id'>,
): number {
  const pairs = Number(a.qid.includes('-')) - Number(b.qid.includes('-'));
  return pairs || a.qid.localeCompare(b.qid, 'en', { numeric: true }) || (a.task_id < b.task_id ? -1 : 1);
}

/** A person's judgement of a result. */
export interface Judgement {
  task_id: TaskId;
  /** Whether the value was kept. */
  kept: boolean;
  /** The label given; null when the value was only kept or excluded. */
  label: Verdict['human_label'] | null;
  at: Date;
}

/** The judgement that a label expresses; empty for a label that is not about the value. */
export function judgementOf(task_id: TaskId, given: string, at: Date): Judgement[] {
  const label = LABELS.find((each) => each === given.trim().toUpperCase());
  return label ? [{ task_id, kept: label === 'CORRECT', label, at }] : [];
}

type Judged = Pick<
  AiReviewDocument,
  'task_id' | 'task_name' | 'model' | 'verdict' | 'usage' | 'completed_at'
>;

/** How often reviews agreed with people's later judgement, by task and model. The newest judgement of a result counts. */
export function qualityOf(reviews: readonly Judged[], judgements: readonly Judgement[]): ReviewQuality {
  const oldestFirst = [...judgements].sort((a, b) => a.at.getTime() - b.at.getTime());
  const judgementsOfTask = new Map<string, Judgement[]>();
  for (const each of oldestFirst)
    judgementsOfTask.set(each.task_id, [...(judgementsOfTask.get(each.task_id) ?? []), each]);
  const groups = new Map<string, ReviewQuality['items'][number] & { costs: number[]; latencies: number[] }>();
  for (const { task_id, task_name, model, verdict, usage, completed_at } of reviews) {
    if (!verdict || !completed_at) continue;
    const after = (judgementsOfTask.get(task_id) ?? []).filter(({ at }) => at >= completed_at);
    const judgement = after.at(-1);
    if (!judgement) continue;
    const label = after.findLast((each) => each.label !== null)?.label ?? null;
    const name = `${model.provider}/${model.name}`;
    const key = `${task_name} ${name}`;
    const group = groups.get(key) ?? {
      task_name,
      model: name,
      reviews: 0,
      agreed: 0,
      missed: 0,
      false_alarms: 0,
      labelled: 0,
      same_label: 0,
      agreement: null,
      cost: null,
      mean_latency: null,
      costs: [],
      latencies: [],
    };
    groups.set(key, group);
    const passed = verdict.decision === 'PASS' || verdict.decision === 'PASS_WITH_NOTE';
    group.reviews += 1;
    if (passed === judgement.kept) group.agreed += 1;
    else if (passed) group.missed += 1;
    else group.false_alarms += 1;
    if (label !== null) group.labelled += 1;
    if (label === verdict.human_label) group.same_label += 1;
    if (typeof usage?.cost === 'number') group.costs.push(usage.cost);
    if (usage) group.latencies.push(usage.latency);
  }
  const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
  const items = [...groups.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { costs, latencies, ...group }]) => ({
      ...group,
      agreement: group.agreed / group.reviews,
      cost: costs.length > 0 ? sum(costs) : null,
      mean_latency: latencies.length > 0 ? sum(latencies) / latencies.length : null,
    }));
  return { items };
}

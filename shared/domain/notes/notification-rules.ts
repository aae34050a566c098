import type { NoteEvent } from './model.ts';

type Noted = Pick<NoteEvent, 'chip_id' | 'scope' | 'target_id' | 'metric_key' | 'extra'>;

/** The notification for users mentioned in a note, with the address of the note. */
export function notificationOf(event: Noted, at: Date): { key: string; target_url: string; where: string } {
  const { chip_id, scope, target_id } = event;
  return {
    key: keyOfNotice(event, at),
    target_url:
      scope === 'task_result'
        ? `/task-results/${encodeURIComponent(target_id)}`
        : `/chip?${new URLSearchParams({ chip_id, ...(scope !== 'chip' && { target: target_id }) })}`,
    where: whereOf(event),
  };
}

/** A note is saved often, sometimes while the user types, so it notifies a user at most once a day. A comment notifies once. */
function keyOfNotice({ chip_id, scope, target_id, metric_key, extra }: Noted, at: Date): string {
  if (extra['comment_id'] !== undefined) return extra['comment_id'];
  const day = at.toISOString().slice(0, 10);
  return [chip_id, scope, target_id, metric_key, extra['scope_key'] ?? '', day].join('/');
}

function whereOf({ chip_id, scope, target_id, metric_key, extra }: Noted): string {
  const writing = extra['kind'] === 'comment' ? 'a comment' : 'the note';
  switch (scope) {
    case 'task_result':
      return `the note on ${extra['task_name']} of ${extra['qid'] || chip_id}`;
    case 'chip':
      return `the note on chip ${chip_id}`;
    case 'qubit':
    case 'coupling':
      return `${writing} on ${scope} ${target_id} of ${chip_id}`;
    case 'qubit_metric':
    case 'coupling_metric':
      return `the note on ${metric_key} of ${target_id} of ${chip_id}`;
  }
}

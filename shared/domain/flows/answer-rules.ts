import { noCounts } from '../results/count-rules.ts';
import type { TaskCounts } from '../results/model.ts';
import type { StageAnswer, StageFailure, StageStatus } from './model.ts';
import { FLOW_LIMITS } from './rules.ts';

// Workflow code builds answers, so this file knows neither zod nor node.

const FAILURE_MESSAGE_CHARACTERS = 300;

/**
 * A stage's answer within 8 KB of JSON: long messages are shortened, then the list of failures is cut.
 * `passed` is never cut, because a flow goes on with it; 1,024 qubit ids fit.
 */
export function stageAnswer(stage: {
  name: string;
  status: StageStatus;
  counts: TaskCounts;
  passed: readonly string[];
  failed: readonly StageFailure[];
}): StageAnswer {
  const answer: StageAnswer = {
    kind: 'stage',
    name: stage.name,
    status: stage.status,
    counts: stage.counts,
    passed: [...stage.passed],
    failed: [],
  };
  const truncatedMark = ',"truncated":true'.length;
  let room = FLOW_LIMITS.answerBytes - truncatedMark - jsonBytes(answer);
  for (const failure of stage.failed) {
    const entry = { ...failure, message: shortened(failure.message, FAILURE_MESSAGE_CHARACTERS) };
    room -= jsonBytes(entry) + 1;
    if (room < 0) return { ...answer, truncated: true };
    answer.failed.push(entry);
  }
  return answer;
}

/** The answer of a stage of which this run measures nothing; `passed` are targets that need no measurement. */
export function nothingMeasured(name: string, passed: readonly string[]): StageAnswer {
  return { kind: 'stage', name, status: 'skipped', counts: noCounts, passed: [...passed], failed: [] };
}

/** Bytes of a value's JSON in UTF-8. */
export function jsonBytes(value: unknown): number {
  let bytes = 0;
  for (const character of JSON.stringify(value) ?? '') {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

/** `text` in at most `limit` characters; a cut is shown by an ellipsis. */
export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const cut = text.slice(0, limit - 1);
  // Half of a surrogate pair is no character.
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

import { noCounts } from '../results/count-rules.ts';
import type { TaskCounts } from '../results/model.ts';
import type { StageAnswer, StageFailure, StageStatus } from './model.ts';
import { FLOW_LIMITS } from './rules.ts';

// Workflow code builds answers, so this file must not import zod or node modules.

const FAILURE_MESSAGE_CHARACTERS = 300;

/**
 * A stage's answer, limited to 8 KB of JSON: long messages are shortened first, then the list of failures is cut. `passed` is
 * never cut, because the flow continues with it; 1,024 qubit ids fit.
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

/** The answer of a stage in which this run measures nothing; `passed` are targets that need no measurement. */
export function nothingMeasured(name: string, passed: readonly string[]): StageAnswer {
  return { kind: 'stage', name, status: 'skipped', counts: noCounts, passed: [...passed], failed: [] };
}

/** Size in bytes of a value's JSON in UTF-8. */
export function jsonBytes(value: unknown): number {
  let bytes = 0;
  for (const character of JSON.stringify(value) ?? '') {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

/** Shortens `text` to at most `limit` characters, with an ellipsis if it was cut. */
export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const cut = text.slice(0, limit - 1);
  // Do not leave half of a surrogate pair.
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonBytes, shortened, stageAnswer } from '../../../../shared/domain/flows/answer-rules.ts';
import { stageAnswer as stageAnswerSchema } from '../../../../shared/domain/flows/model.ts';
import { FLOW_LIMITS } from '../../../../shared/domain/flows/rules.ts';

const counts = { completed: 0, failed: 0, skipped: 0, cancelled: 0, total: 0 };
const qids = Array.from({ length: 1024 }, (_, qid) => String(qid));
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

test('an answer that fits is whole', () => {
  const failed = [{ target: '3', task: 'CheckRabi', message: 'no oscillation' }];
  const answer = stageAnswer({ name: 'Rabi', status: 'completed', counts, passed: ['1', '2'], failed });
  expect(answer).toEqual({
    kind: 'stage',
    name: 'Rabi',
    status: 'completed',
    counts,
    passed: ['1', '2'],
    failed,
  });
  expect(stageAnswerSchema.parse(answer)).toEqual(answer);
});

test('1,024 qubits that pass fit with all their ids', () => {
  const answer = stageAnswer({ name: 'Rabi', status: 'completed', counts, passed: qids, failed: [] });
  expect(answer.passed).toEqual(qids);
  expect(bytesOf(answer)).toBeLessThanOrEqual(FLOW_LIMITS.answerBytes);
});

test('1,024 failures with long messages are cut to 8 KB and the answer says so', () => {
  const failed = qids.map((target) => ({ target, task: 'CheckRabi', message: 'schlecht Ω '.repeat(100) }));
  const answer = stageAnswer({ name: 'Rabi', status: 'failed', counts, passed: [], failed });
  expect(answer.truncated).toBe(true);
  expect(answer.failed.length).toBeGreaterThan(10);
  expect(bytesOf(answer)).toBeLessThanOrEqual(FLOW_LIMITS.answerBytes);
});

test('an answer never has more than 8 KB, whatever the failures say', () => {
  const failure = fc.record({
    target: fc.string(),
    task: fc.string(),
    message: fc.string({ unit: 'binary' }),
  });
  fc.assert(
    fc.property(fc.array(failure, { maxLength: 60, size: 'max' }), (failed) => {
      const answer = stageAnswer({ name: 'Rabi', status: 'failed', counts, passed: [], failed });
      expect(bytesOf(answer)).toBeLessThanOrEqual(FLOW_LIMITS.answerBytes);
      expect(answer.truncated === true).toBe(answer.failed.length < failed.length);
    }),
    { numRuns: 50 },
  );
});

test('bytes are counted as UTF-8', () => {
  for (const text of ['', 'a', 'é', '日本', '😀', '"\n']) expect(jsonBytes(text)).toBe(bytesOf(text));
});

test('a cut text has an ellipsis and no half characters', () => {
  expect(shortened('abcdef', 6)).toBe('abcdef');
  expect(shortened('abcdef', 4)).toBe('abc…');
  expect(shortened('ab😀def', 4)).toBe('ab…');
});

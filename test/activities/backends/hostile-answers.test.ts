import { ApplicationFailure } from '@temporalio/common';
import { RawValue } from '@temporalio/common/lib/converter/payload-converter.js';
import { encode } from '@temporalio/common/lib/encoding.js';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dataConverter } from '../../../shared/kernel/engine/temporal.ts';
import { wellFormedJson } from '../../../shared/kernel/text.ts';
import { type CommonLaboratory, commonLaboratory } from '../../support/common-laboratory.ts';
import { serveBackend } from '../../support/foreign-backend.ts';
import { oneStage } from '../../support/laboratory.ts';

const TARGETS = 64;

let lab: CommonLaboratory;
let hostile: Awaited<ReturnType<typeof serveBackend>>;

const anyText = fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)), maxLength: 60 });
const anyValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'large', withCrossShrink: true },
    anyText,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(null, true, {}, []),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(anyText, tie('value'), { maxKeys: 3 }),
  ),
})).value;
const nested = fc.nat(30_000).map((levels) => `${'['.repeat(levels)}1${']'.repeat(levels)}`);

type Behaviour = (target: string) => unknown;

/** Bytes of an answer exactly as a worker in another language may send them. */
function raw(json: string): RawValue {
  return new RawValue(null, {
    toPayload: () => ({ metadata: { encoding: encode('json/plain') }, data: encode(json) }),
    fromPayload: () => {
      throw new Error('not read here');
    },
  });
}

const answersOf = (json: string) => (target: string) => raw(`{"targets":{"${target}":${json}}}`);
const ownFigure = (json: string) =>
  `{"outputs":{"t1":{"value":40}},"figures":[{"data":[${json}],"layout":{}}]}`;

const behaviours = fc.sample(
  fc.oneof(
    anyText.map(
      (text): Behaviour =>
        () => {
          throw new Error(text);
        },
    ),
    fc.tuple(anyText, anyText, anyValue, fc.boolean()).map(
      ([text, type, detail, final]): Behaviour =>
        () => {
          const cause = new Error(text);
          throw ApplicationFailure.create({
            message: text,
            type,
            nonRetryable: final,
            details: [detail],
            cause,
          });
        },
    ),
    fc.tuple(anyText, fc.nat(3_000_000)).map(
      ([text, times]): Behaviour =>
        () => {
          throw new Error(`${text}\uD83D`.repeat(Math.ceil(times / (text.length + 1))));
        },
    ),
    anyValue.map(
      (value): Behaviour =>
        () =>
          raw(JSON.stringify(value)),
    ),
    anyValue.map((value) => answersOf(JSON.stringify(value))),
    anyValue.map((value) => answersOf(ownFigure(JSON.stringify(value)))),
    nested.map(answersOf),
    nested.map((json) => answersOf(ownFigure(json))),
    nested.map(
      (json): Behaviour =>
        () =>
          raw(json),
    ),
  ),
  { numRuns: TARGETS, seed: 15 },
);

beforeAll(async () => {
  lab = await commonLaboratory();
  hostile = await serveBackend(
    lab,
    'hostile',
    async ({ targets: [target = ''] }) => behaviours[Number(target)]?.(target),
    // What this worker says must arrive: one whose own text kills it is dead, and that is another test.
    { dataConverter },
  );
});
afterAll(() => hostile.close());

test('whatever text and depth a backend answers or fails with, each task ends with a message, and no worker dies', async () => {
  const saidBefore = (await lab.worker.log()).length;
  const place = await lab.newProject({ size: TARGETS });
  const run = await lab.startFlow(place, oneStage(['CheckT1']), { backend: 'hostile' });
  const execution = await lab.ended(place.projectId, run.execution_id);
  await lab.free(place.projectId);
  const tasks = await lab.tasksOf(place.projectId, run.execution_id);
  expect(tasks).toHaveLength(TARGETS);
  for (const { status, message } of tasks) {
    expect(['failed', 'completed']).toContain(status);
    expect(message).not.toBe('');
  }
  const json = JSON.stringify([execution.message, tasks]);
  expect(wellFormedJson(json)).toBe(json);

  // The same worker still works.
  const next = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
  expect((await lab.ended(place.projectId, next.execution_id)).status).toBe('completed');
  // Runs of other files, whose remainders this worker may still end, say what they like.
  const said = (await lab.worker.log()).slice(saidBefore).split('\n');
  const ofThese = said.filter((line) => line.includes(place.projectId) || line.includes('"level":60'));
  expect(ofThese.filter((line) => /"level":(50|60)/.test(line))).toEqual([]);
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningWorkers } from '../../workers/workers.ts';
import { type Laboratory, oneStage, openLaboratory } from '../support/laboratory.ts';
import { startOwnWorkers } from '../support/own-workers.ts';
import { repetitions } from '../support/repetitions.ts';

let lab: Laboratory;
let workers: RunningWorkers;
/** What the activities of these names do instead of their work, once it is set. */
let instead: { activities: readonly string[]; act: () => Promise<unknown> } | null = null;
let tries = 0;

beforeAll(async () => {
  lab = await openLaboratory();
  workers = await startOwnWorkers(lab, ({ info }) => ({
    inbound: {
      async execute(input, next) {
        if (!instead?.activities.includes(info.activityType)) return next(input);
        tries += 1;
        return instead.act();
      },
    },
  }));
});
afterAll(async () => {
  await workers.stop();
  await lab.close();
});

function deep(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

const store = (document: object) => () => lab.database.db.collection('oddities').insertOne(document);

const ACTIVITIES = ['advanceFlow', 'openStage', 'measure', 'record', 'closeStage'];
/** Names of their local activities. */
const LOCAL: Record<string, string> = {
  advanceFlow: 'advanceFlowLocally',
  openStage: 'openStage',
  record: 'recordLocally',
};
/** What each kind of failure is tried with; one of the store's and one of an answer are tried with all. */
const SOME = repetitions({ quick: ['advanceFlow', 'measure'], soak: ACTIVITIES });

test.each([
  ['a key with NUL', store({ 'a\u0000b': 1 }), /cannot be stored: .*null bytes/, ACTIVITIES],
  ['a document that is deeper than the store bears', store({ a: deep(300) }), /cannot be stored: /, SOME],
  ['a document that is deeper than the driver bears', store({ a: deep(10_000) }), /cannot be stored: /, SOME],
  [
    'a document that is larger than the store bears',
    store({ a: 'x'.repeat(20_000_000) }),
    /cannot be stored: /,
    SOME,
  ],
  [
    'an answer that holds itself',
    async () => {
      const circle: unknown[] = [];
      circle.push(circle);
      return circle;
    },
    /value for the engine cannot be written/,
    ACTIVITIES,
  ],
  [
    'an answer that is nested too deeply',
    async () => deep(100_000),
    /value for the engine is nested more than/,
    SOME,
  ],
])('a run that comes to %s ends with a message after one try', async (_what, act, message, activities) => {
  const place = await lab.newProject();
  for (const activity of activities) {
    tries = 0;
    const local = LOCAL[activity];
    instead = { activities: [activity, ...(local ? [local] : [])], act };
    // Tried at once, and after a failure as an activity.
    const failing = local ? 2 : 1;
    const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
    const execution = await lab.ended(place.projectId, run.execution_id);
    expect.soft({ activity, status: execution.status }).toEqual({ activity, status: 'failed' });
    expect.soft(execution.message, activity).toMatch(message);
    expect.soft(tries, activity).toBe(failing);
    instead = null;
    await lab.free(place.projectId);
  }
});

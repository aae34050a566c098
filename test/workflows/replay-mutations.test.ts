import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { workflowBundle } from '../../workers/bundle.ts';
import { changedBundle } from '../support/changed-bundle.ts';
import { recordedHistories, replay } from '../support/histories.ts';
import { commonCache } from '../support/laboratory.ts';

let code: string;
beforeAll(async () => {
  code = await readFile(await workflowBundle(await commonCache()), 'utf8');
});

test.each([
  {
    change: 'an activity more in a stage',
    from: 'async function runSteps() {',
    to: 'async function runSteps() { await records.noteWaiting({ run, waiting: null });',
    noticed: ['0.1.0/stages-stage-0-0.json', '0.2.0/stages-stage-0-0.json'],
  },
  {
    change: 'one attempt less of a measurement that is lost',
    from: 'LOST_REPEATS = 2',
    to: 'LOST_REPEATS = 1',
    noticed: ['0.2.0/attempts-stage-0-0.json'],
  },
  {
    change: 'attempts that count from 0',
    from: 'for(let attempt = 1;;',
    to: 'for(let attempt = 0;;',
    noticed: ['0.2.0/attempts-stage-0-0.json', '0.2.0/single-stage-0-0.json'],
  },
  {
    change: 'another order of targets',
    from: 'function next() {\n        for (const [target, index] of at){',
    to: 'function next() {\n        for (const [target, index] of [...at].reverse()){',
    noticed: ['0.2.0/stages-stage-0-0.json'],
  },
  {
    change: 'a patch that is left out',
    from: 'patched)(patches[name].id)',
    to: "patched)('none of ours')",
    noticed: ['0.2.0/stages-stage-0-0.json'],
  },
])('replay notices $change', async ({ from, to, noticed }) => {
  const histories = (await recordedHistories()).filter(({ workflowId }) => noticed.includes(workflowId));
  expect(histories).toHaveLength(noticed.length);
  expect(await replay({ code: changedBundle(code, from, to) }, histories)).toHaveLength(noticed.length);
});

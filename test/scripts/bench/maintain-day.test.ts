import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chipWith, faultAt } from '../../../scripts/bench/maintain/chip.ts';
import { decidedAlone, decidedByRuns } from '../../../scripts/bench/maintain/engine-day.ts';
import { windowsFile } from '../../../shared/domain/maintenance/index.ts';
import { packageRoot } from '../../../shared/kernel/package-root.ts';
import { type CommonLaboratory, commonLaboratory } from '../../support/common-laboratory.ts';

/** Of a day, with a frequency that jumps in it. */
const HOURS = [0, 5, 10, 20];
const chip = chipWith({
  seed: 'MAINTAINED-DAY',
  qids: ['0', '1'],
  hours: 24,
  faults: [faultAt(6, { qid: '1', incident: 'frequency_jump', size: 1 })],
});

let lab: CommonLaboratory;
beforeAll(async () => {
  lab = await commonLaboratory();
});
afterAll(() => lab.setFaults({ rules: [] }));

test('runs on the engines decide what the planner decides without them', async () => {
  const settings = await windowsFile.read(fileURLToPath(new URL('config', packageRoot)));
  const alone = decidedAlone(chip, HOURS, { settings, noiseSeed: 'laboratory' });
  expect(alone.some((each) => each.startsWith('10 h | 1 | CheckRamsey | calibrate'))).toBe(true);
  expect(await decidedByRuns(chip, HOURS, lab)).toEqual(alone);
});

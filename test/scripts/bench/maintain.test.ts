import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { chipWith, faultAt } from '../../../scripts/bench/maintain/chip.ts';
import { followFault, isExact } from '../../../scripts/bench/maintain/faults.ts';
import { createLaboratory } from '../../../scripts/bench/maintain/laboratory.ts';
import { maintain } from '../../../scripts/bench/maintain/policies.ts';
import { windowsFile } from '../../../shared/domain/maintenance/index.ts';
import { packageRoot } from '../../../shared/kernel/package-root.ts';

const QID = '0';
const HOURS = 60;

/** Keeps a qubit on which one fault strikes, until the fault is found. */
async function kept(incident: 'frequency_jump' | 'drive_step') {
  const fault = faultAt(0.5, { qid: QID, incident, size: 1 });
  const chip = chipWith({ seed: 'kept', qids: [QID], hours: HOURS, faults: [fault] });
  const lab = createLaboratory(chip, await windowsFile.read(fileURLToPath(new URL('config', packageRoot))));
  maintain(lab, 0, chip.qids);
  const followed = followFault(fault, { chip, lab, policy: maintain, hour: 1 });
  for (let hour = 1; hour < HOURS; hour++) {
    const wrong = followed.before(hour);
    maintain(lab, hour, chip.qids);
    const report = followed.after(hour, wrong);
    if (report) return { ...report, isExact: isExact(report), wrong };
  }
  throw new Error('The fault was not found.');
}

test('a frequency that jumps is found within its window, and only it is measured again', async () => {
  const report = await kept('frequency_jump');
  expect(report).toMatchObject({ isInWindow: true, isExact: true, held: [] });
  expect(report.calibrated).toEqual(['CheckRamsey']);
  expect(report.wrong).toContain('CheckRamsey');
});

test('a drive that steps is found within its window, and only what it broke is run again', async () => {
  const report = await kept('drive_step');
  expect(report).toMatchObject({ isInWindow: true, isExact: true, held: [] });
  expect(report.calibrated).toContain('CreateHPIPulse');
});

import type { TaskName } from './catalog.ts';
import { checkDragHpiCheck, checkDragPiCheck } from './check-drag-pulse/check.ts';
import type { CheckForm } from './check-model.ts';
import { checkHpiCheck, checkPiCheck } from './check-pulse/check.ts';
import { createDragHpiCheck, createDragPiCheck } from './create-drag-pulse/check.ts';
import { createHpiCheck, createPiCheck } from './create-pulse/check.ts';
import { efSpectroscopyCheck } from './ef-spectroscopy/check.ts';
import { fineAmplitudeCheck } from './fine-amplitude/check.ts';
import { efRabiCheck, rabiCheck } from './rabi/check.ts';
import { fineFrequencyCheck, ramseyCheck } from './ramsey/check.ts';
import { readoutClassificationCheck } from './readout-classification/check.ts';
import { t1Check } from './t1/check.ts';
import { t2EchoCheck } from './t2-echo/check.ts';

/** The check forms, by task. */
const checks = {
  CheckRabi: rabiCheck,
  CreateHPIPulse: createHpiCheck,
  CheckHPIPulse: checkHpiCheck,
  CreatePIPulse: createPiCheck,
  CheckPIPulse: checkPiCheck,
  CheckT1: t1Check,
  CheckT2Echo: t2EchoCheck,
  CheckRamsey: ramseyCheck,
  CreateDRAGHPIPulse: createDragHpiCheck,
  CheckDRAGHPIPulse: checkDragHpiCheck,
  CreateDRAGPIPulse: createDragPiCheck,
  CheckDRAGPIPulse: checkDragPiCheck,
  CheckFineFrequency: fineFrequencyCheck,
  CheckFineAmplitude: fineAmplitudeCheck,
  CheckEFSpectroscopy: efSpectroscopyCheck,
  CheckEFRabi: efRabiCheck,
  ReadoutClassification: readoutClassificationCheck,
} satisfies Partial<Record<TaskName, CheckForm>>;

/** Tasks with a check form. */
export const checkedTasks: readonly string[] = Object.keys(checks);

export function hasCheck(taskName: string): boolean {
  return checkOf(taskName) !== undefined;
}

/** Why a task cannot be checked. */
export function noCheckForm(taskName: string): string {
  return `${taskName} has no check form; these tasks have one: ${checkedTasks.join(', ')}.`;
}

/** The check form of a task; undefined if it has none. */
export function checkOf(taskName: string): CheckForm | undefined {
  const all: Readonly<Record<string, CheckForm>> = checks;
  return Object.hasOwn(all, taskName) ? all[taskName] : undefined;
}

import { activeResetCheck } from './active-reset/check.ts';
import { allXyCheck } from './all-xy/check.ts';
import { bellStateTomographyCheck } from './bell-state/check.ts';
import type { TaskName } from './catalog.ts';
import { checkDragHpiCheck, checkDragPiCheck } from './check-drag-pulse/check.ts';
import type { CheckForm } from './check-model.ts';
import { checkHpiCheck, checkPiCheck } from './check-pulse/check.ts';
import { checkZx90Check } from './check-zx90/check.ts';
import {
  coarseChevronCheck,
  fineChevronCheck,
  qubitFrequencyCheck,
  searchedChevronCheck,
} from './chevron/check.ts';
import { createDragHpiCheck, createDragPiCheck } from './create-drag-pulse/check.ts';
import { createHpiCheck, createPiCheck } from './create-pulse/check.ts';
import { createZx90Check } from './create-zx90/check.ts';
import { crossResonanceCheck } from './cross-resonance/check.ts';
import { czChevronCheck } from './cz-chevron/check.ts';
import { czPhaseCheck } from './cz-phase/check.ts';
import { dispersiveShiftCheck } from './dispersive-shift/check.ts';
import { efSpectroscopyCheck } from './ef-spectroscopy/check.ts';
import { fineAmplitudeCheck } from './fine-amplitude/check.ts';
import { optimalReadoutAmplitudeCheck } from './optimal-readout-amplitude/check.ts';
import { optimalReadoutFrequencyCheck } from './optimal-readout-frequency/check.ts';
import { efRabiCheck, qubitCheck, rabiCheck } from './rabi/check.ts';
import { fineFrequencyCheck, ramseyCheck } from './ramsey/check.ts';
import { readoutAmplitudeCheck } from './readout-amplitude/check.ts';
import { readoutClassificationCheck } from './readout-classification/check.ts';
import { readoutFrequencyCheck } from './readout-frequency/check.ts';
import { readoutQndCheck } from './readout-qnd/check.ts';
import { staticZzCheck } from './static-zz/check.ts';
import { t1AverageCheck, t1Check } from './t1/check.ts';
import { t2EchoAverageCheck, t2EchoCheck } from './t2-echo/check.ts';
import { thermalPopulationCheck } from './thermal-population/check.ts';

/** The check forms, by task. */
const checks = {
  CheckReadoutAmplitude: readoutAmplitudeCheck,
  CheckChevron: searchedChevronCheck,
  CheckCoarseChevron: coarseChevronCheck,
  CheckFineChevron: fineChevronCheck,
  CheckQubitFrequency: qubitFrequencyCheck,
  CheckQubit: qubitCheck,
  CheckReadoutFrequency: readoutFrequencyCheck,
  CheckDispersiveShift: dispersiveShiftCheck,
  CheckOptimalReadoutFrequency: optimalReadoutFrequencyCheck,
  CheckOptimalReadoutAmplitude: optimalReadoutAmplitudeCheck,
  CheckRabi: rabiCheck,
  CreateHPIPulse: createHpiCheck,
  CheckHPIPulse: checkHpiCheck,
  CreatePIPulse: createPiCheck,
  CheckPIPulse: checkPiCheck,
  CheckT1: t1Check,
  CheckT2Echo: t2EchoCheck,
  CheckRamsey: ramseyCheck,
  CheckT1Average: t1AverageCheck,
  CheckT2EchoAverage: t2EchoAverageCheck,
  CreateDRAGHPIPulse: createDragHpiCheck,
  CheckDRAGHPIPulse: checkDragHpiCheck,
  CreateDRAGPIPulse: createDragPiCheck,
  CheckDRAGPIPulse: checkDragPiCheck,
  CheckFineFrequency: fineFrequencyCheck,
  CheckFineAmplitude: fineAmplitudeCheck,
  CheckAllXY: allXyCheck,
  CheckEFSpectroscopy: efSpectroscopyCheck,
  CheckEFRabi: efRabiCheck,
  CheckThermalPopulation: thermalPopulationCheck,
  ReadoutClassification: readoutClassificationCheck,
  CheckReadoutQND: readoutQndCheck,
  CheckActiveReset: activeResetCheck,
  CheckStaticZZ: staticZzCheck,
  CheckCrossResonance: crossResonanceCheck,
  CreateZX90: createZx90Check,
  CheckZX90: checkZx90Check,
  CheckBellStateTomography: bellStateTomographyCheck,
  CheckCZChevron: czChevronCheck,
  CheckCZPhase: czPhaseCheck,
} satisfies Partial<Record<TaskName, CheckForm>>;

/** Tasks with a check form. */
export const checkedTasks: readonly string[] = Object.keys(checks);

export function hasCheck(taskName: string): boolean {
  return checkOf(taskName) !== undefined;
}

/** The reason why a task cannot be checked. */
export function noCheckForm(taskName: string): string {
  return `${taskName} has no check form; these tasks have one: ${checkedTasks.join(', ')}.`;
}

/** The check form of a task; undefined if it has none. */
export function checkOf(taskName: string): CheckForm | undefined {
  const all: Readonly<Record<string, CheckForm>> = checks;
  return Object.hasOwn(all, taskName) ? all[taskName] : undefined;
}

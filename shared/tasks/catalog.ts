import {
  checkNoise,
  checkStatus,
  configure,
  configureAll,
  dumpBox,
  linkUp,
  readoutConfigure,
} from './catalog/box-setup.ts';
import { checkT1Average, checkT2EchoAverage } from './catalog/check-averages.ts';
import {
  checkChevron,
  checkCoarseChevron,
  checkFineChevron,
  checkQubitFrequency,
} from './catalog/check-chevron.ts';
import { checkControlAmplitude } from './catalog/check-control-amplitude.ts';
import { checkHpiPulse, checkPiPulse } from './catalog/check-pulse.ts';
import {
  checkQubitSpectroscopy,
  checkSimultaneousQubitSpectroscopy,
} from './catalog/check-qubit-spectroscopy.ts';
import { checkRabi } from './catalog/check-rabi.ts';
import { checkRamsey } from './catalog/check-ramsey.ts';
import {
  checkDispersiveShift,
  checkOptimalReadoutAmplitude,
  checkOptimalReadoutFrequency,
  checkQubit,
  checkReadoutFrequency,
} from './catalog/check-readout.ts';
import { checkResonatorSpectroscopy } from './catalog/check-resonator-spectroscopy.ts';
import { checkT1 } from './catalog/check-t1.ts';
import { checkT2Echo } from './catalog/check-t2-echo.ts';
import { createHpiPulse, createPiPulse } from './catalog/create-pulse.ts';
import {
  checkBellState,
  checkBellStateTomography,
  checkCrossResonance,
  checkStaticZz,
  checkZx90,
  createZx90,
} from './catalog/cross-resonance.ts';
import {
  checkDragHpiPulse,
  checkDragPiPulse,
  createDragHpiPulse,
  createDragPiPulse,
} from './catalog/drag-pulses.ts';
import { check1QGateCoherenceLimit } from './catalog/one-qubit-coherence-limit.ts';
import {
  randomizedBenchmarking,
  x90InterleavedRandomizedBenchmarking,
  x180InterleavedRandomizedBenchmarking,
} from './catalog/randomized-benchmarking.ts';
import { readoutClassification } from './catalog/readout-classification.ts';
import {
  checkElectricalDelay,
  checkQubitFrequencies,
  checkReadoutAmplitude,
  checkReflectionCoefficient,
  checkResonatorFrequencies,
  checkWaveform,
} from './catalog/readout-line.ts';
import {
  check2QGateCoherenceLimit,
  zx90InterleavedRandomizedBenchmarking,
} from './catalog/two-qubit-benchmarking.ts';
import type { TaskDefinition } from './model.ts';

export { SIMULATOR_BACKEND } from './catalog/backends.ts';

/** Every task that Calibron knows, in the order in which qubits and then couplings are calibrated. */
export const taskCatalog: readonly TaskDefinition[] = [
  checkStatus,
  linkUp,
  dumpBox,
  configure,
  configureAll,
  readoutConfigure,
  checkNoise,
  checkElectricalDelay,
  checkResonatorFrequencies,
  checkResonatorSpectroscopy,
  checkReflectionCoefficient,
  checkReadoutAmplitude,
  checkQubitFrequencies,
  checkQubitSpectroscopy,
  checkSimultaneousQubitSpectroscopy,
  checkControlAmplitude,
  checkWaveform,
  checkChevron,
  checkCoarseChevron,
  checkFineChevron,
  checkQubitFrequency,
  checkQubit,
  checkReadoutFrequency,
  checkDispersiveShift,
  checkOptimalReadoutFrequency,
  checkOptimalReadoutAmplitude,
  checkRabi,
  createHpiPulse,
  checkHpiPulse,
  createPiPulse,
  checkPiPulse,
  checkT1,
  checkT2Echo,
  checkRamsey,
  checkT1Average,
  checkT2EchoAverage,
  createDragHpiPulse,
  checkDragHpiPulse,
  createDragPiPulse,
  checkDragPiPulse,
  readoutClassification,
  check1QGateCoherenceLimit,
  randomizedBenchmarking,
  x90InterleavedRandomizedBenchmarking,
  x180InterleavedRandomizedBenchmarking,
  checkStaticZz,
  checkCrossResonance,
  createZx90,
  checkZx90,
  checkBellState,
  checkBellStateTomography,
  check2QGateCoherenceLimit,
  zx90InterleavedRandomizedBenchmarking,
];

const byName = new Map(taskCatalog.map((task) => [task.name, task]));

/** Names under which older records and flows know a task. */
const aliases = new Map([['ChevronPattern', checkFineChevron]]);

/** The definition of a task by its name or an older one, or undefined when the catalog has neither. */
export function findTask(name: string): TaskDefinition | undefined {
  return byName.get(name) ?? aliases.get(name);
}

/** Names of all tasks, in catalog order. */
export function taskNames(): string[] {
  return taskCatalog.map((task) => task.name);
}

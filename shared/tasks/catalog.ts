import {
  checkNoise,
  checkStatus,
  configure,
  configureAll,
  dumpBox,
  linkUp,
  readoutConfigure,
} from './box-setup/definition.ts';
import { checkHpiPulse, checkPiPulse } from './check-pulse/definition.ts';
import {
  checkChevron,
  checkCoarseChevron,
  checkFineChevron,
  checkQubitFrequency,
} from './chevron/definition.ts';
import { checkT1Average, checkT2EchoAverage } from './coherence-averages/definition.ts';
import { checkControlAmplitude } from './control-amplitude/definition.ts';
import {
  checkDragHpiPulse,
  checkDragPiPulse,
  createDragHpiPulse,
  createDragPiPulse,
} from './create-drag-pulse/definition.ts';
import { createHpiPulse, createPiPulse } from './create-pulse/definition.ts';
import {
  checkBellState,
  checkBellStateTomography,
  checkCrossResonance,
  checkStaticZz,
  checkZx90,
  createZx90,
} from './cross-resonance/definition.ts';
import type { TaskDefinition } from './model.ts';
import { check1QGateCoherenceLimit } from './one-qubit-coherence-limit/definition.ts';
import {
  checkQubitSpectroscopy,
  checkSimultaneousQubitSpectroscopy,
} from './qubit-spectroscopy/definition.ts';
import { checkRabi } from './rabi/definition.ts';
import { checkRamsey } from './ramsey/definition.ts';
import {
  randomizedBenchmarking,
  x90InterleavedRandomizedBenchmarking,
  x180InterleavedRandomizedBenchmarking,
} from './randomized-benchmarking/definition.ts';
import { readoutClassification } from './readout-classification/definition.ts';
import {
  checkDispersiveShift,
  checkOptimalReadoutAmplitude,
  checkOptimalReadoutFrequency,
  checkQubit,
  checkReadoutFrequency,
} from './readout-frequency/definition.ts';
import {
  checkElectricalDelay,
  checkQubitFrequencies,
  checkReadoutAmplitude,
  checkReflectionCoefficient,
  checkResonatorFrequencies,
  checkWaveform,
} from './reflection-coefficient/definition.ts';
import { checkResonatorSpectroscopy } from './resonator-spectroscopy/definition.ts';
import { checkT1 } from './t1/definition.ts';
import { checkT2Echo } from './t2-echo/definition.ts';
import {
  check2QGateCoherenceLimit,
  zx90InterleavedRandomizedBenchmarking,
} from './two-qubit-benchmarking/definition.ts';

export { SIMULATOR_BACKEND } from './common/definition/backends.ts';

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

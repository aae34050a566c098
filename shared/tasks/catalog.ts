import { checkActiveReset } from './active-reset/definition.ts';
import { checkAllXy } from './all-xy/definition.ts';
import { checkBellState, checkBellStateTomography } from './bell-state/definition.ts';
import {
  checkStatus,
  configure,
  configureAll,
  dumpBox,
  linkUp,
  readoutConfigure,
} from './box-setup/definition.ts';
import { checkDragHpiPulse, checkDragPiPulse } from './check-drag-pulse/definition.ts';
import { checkHpiPulse, checkPiPulse } from './check-pulse/definition.ts';
import { checkZx90 } from './check-zx90/definition.ts';
import {
  checkChevron,
  checkCoarseChevron,
  checkFineChevron,
  checkQubitFrequency,
} from './chevron/definition.ts';
import { checkControlAmplitude } from './control-amplitude/definition.ts';
import { createDragHpiPulse, createDragPiPulse } from './create-drag-pulse/definition.ts';
import { createHpiPulse, createPiPulse } from './create-pulse/definition.ts';
import { createZx90 } from './create-zx90/definition.ts';
import { checkCrossResonance } from './cross-resonance/definition.ts';
import { checkCzChevron } from './cz-chevron/definition.ts';
import { checkCzPhase } from './cz-phase/definition.ts';
import { checkDispersiveShift } from './dispersive-shift/definition.ts';
import { checkEfSpectroscopy } from './ef-spectroscopy/definition.ts';
import { checkElectricalDelay } from './electrical-delay/definition.ts';
import { checkFineAmplitude } from './fine-amplitude/definition.ts';
import { leakageRandomizedBenchmarking } from './leakage-benchmarking/definition.ts';
import type { TaskDefinition } from './model.ts';
import { checkNoise } from './noise/definition.ts';
import { check1QGateCoherenceLimit } from './one-qubit-coherence-limit/definition.ts';
import { checkOptimalReadoutAmplitude } from './optimal-readout-amplitude/definition.ts';
import { checkOptimalReadoutFrequency } from './optimal-readout-frequency/definition.ts';
import { checkPunchOut } from './punch-out/definition.ts';
import { checkQubitFrequencies } from './qubit-frequencies/definition.ts';
import {
  checkQubitSpectroscopy,
  checkSimultaneousQubitSpectroscopy,
} from './qubit-spectroscopy/definition.ts';
import { checkQubit, checkRabi } from './rabi/definition.ts';
import { checkEfRabi } from './rabi/ef-definition.ts';
import { checkFineFrequency, checkRamsey } from './ramsey/definition.ts';
import {
  randomizedBenchmarking,
  simultaneousRandomizedBenchmarking,
  x90InterleavedRandomizedBenchmarking,
  x180InterleavedRandomizedBenchmarking,
} from './randomized-benchmarking/definition.ts';
import { checkReadoutAmplitude } from './readout-amplitude/definition.ts';
import { readoutClassification } from './readout-classification/definition.ts';
import { checkReadoutFrequency } from './readout-frequency/definition.ts';
import { checkReadoutQnd } from './readout-qnd/definition.ts';
import { checkReflectionCoefficient } from './reflection-coefficient/definition.ts';
import { checkResonatorFrequencies } from './resonator-frequencies/definition.ts';
import { checkResonatorSpectroscopy } from './resonator-spectroscopy/definition.ts';
import { checkStability } from './stability/definition.ts';
import { checkStaticZz } from './static-zz/definition.ts';
import { checkT1, checkT1Average } from './t1/definition.ts';
import { checkT2Echo, checkT2EchoAverage } from './t2-echo/definition.ts';
import { checkThermalPopulation } from './thermal-population/definition.ts';
import {
  czInterleavedRandomizedBenchmarking,
  zx90InterleavedRandomizedBenchmarking,
} from './two-qubit-benchmarking/definition.ts';
import { check2QGateCoherenceLimit } from './two-qubit-coherence-limit/definition.ts';
import { checkWaveform } from './waveform/definition.ts';

/** Definitions in the order of calibration: first qubits, then couplings. */
const tasks = [
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
  checkPunchOut,
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
  checkFineFrequency,
  checkFineAmplitude,
  checkAllXy,
  checkEfSpectroscopy,
  checkEfRabi,
  checkThermalPopulation,
  readoutClassification,
  checkReadoutQnd,
  checkActiveReset,
  checkStability,
  check1QGateCoherenceLimit,
  randomizedBenchmarking,
  x90InterleavedRandomizedBenchmarking,
  x180InterleavedRandomizedBenchmarking,
  leakageRandomizedBenchmarking,
  simultaneousRandomizedBenchmarking,
  checkStaticZz,
  checkCrossResonance,
  createZx90,
  checkZx90,
  checkBellState,
  checkBellStateTomography,
  check2QGateCoherenceLimit,
  zx90InterleavedRandomizedBenchmarking,
  checkCzChevron,
  checkCzPhase,
  czInterleavedRandomizedBenchmarking,
] as const satisfies readonly TaskDefinition[];

type Task = (typeof tasks)[number];
/** The name of a task of the catalog. */
export type TaskName = Task['name'];
/** Names of the tasks of a coupling. */
export type CouplingTaskName = Extract<Task, { taskType: 'coupling' }>['name'];
/** Names of the tasks that use an instrument. */
export type MeasuredTaskName = Extract<Task, { kind: 'measured' }>['name'];

/** All tasks in the order of calibration: first qubits, then couplings. */
export const taskCatalog: readonly TaskDefinition[] = tasks;

const byName = new Map<string, TaskDefinition>(taskCatalog.map((task) => [task.name, task]));

/** Older names of tasks, which occur in records and flows. */
const aliases = new Map<string, TaskDefinition>([['ChevronPattern', checkFineChevron]]);

/** The definition of a task by its current or an older name, or undefined if the catalog has neither. */
export function findTask(name: string): TaskDefinition | undefined {
  return byName.get(name) ?? aliases.get(name);
}

/** Names of all tasks, in catalog order. */
export function taskNames(): string[] {
  return taskCatalog.map((task) => task.name);
}

import { checkControlAmplitude } from './catalog/check-control-amplitude.ts';
import { checkQubitSpectroscopy } from './catalog/check-qubit-spectroscopy.ts';
import { checkResonatorSpectroscopy } from './catalog/check-resonator-spectroscopy.ts';
import {
  checkChevron,
  checkCoarseChevron,
  checkFineChevron,
  checkQubitFrequency,
} from './catalog/check-chevron.ts';
import { checkHpiPulse, checkPiPulse } from './catalog/check-pulse.ts';
import { checkRabi } from './catalog/check-rabi.ts';
import { checkT1 } from './catalog/check-t1.ts';
import { checkT2Echo } from './catalog/check-t2-echo.ts';
import { createHpiPulse, createPiPulse } from './catalog/create-pulse.ts';
import { readoutClassification } from './catalog/readout-classification.ts';
import { checkRamsey } from './catalog/check-ramsey.ts';
import { randomizedBenchmarking, x180InterleavedRandomizedBenchmarking, x90InterleavedRandomizedBenchmarking } from './catalog/randomized-benchmarking.ts';
import { check1QGateCoherenceLimit } from './catalog/one-qubit-coherence-limit.ts';
import { checkDragHpiPulse, checkDragPiPulse, createDragHpiPulse, createDragPiPulse } from './catalog/drag-pulses.ts';
import { checkT1Average, checkT2EchoAverage } from './catalog/check-averages.ts';
import type { TaskDefinition } from './model.ts';

export { SIMULATOR_BACKEND } from './catalog/backends.ts';

/** Every task that Calibron knows, in the order in which a qubit is calibrated. */
export const taskCatalog: readonly TaskDefinition[] = [
  checkResonatorSpectroscopy,
  checkChevron,
  checkCoarseChevron,
  checkFineChevron,
  checkQubitFrequency,
  checkQubitSpectroscopy,
  checkControlAmplitude,
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
  readoutClassification,
  randomizedBenchmarking,
  x90InterleavedRandomizedBenchmarking,
  x180InterleavedRandomizedBenchmarking,
  check1QGateCoherenceLimit,
  createDragHpiPulse,
  checkDragHpiPulse,
  createDragPiPulse,
  checkDragPiPulse,
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

import { activeResetSimulation } from './active-reset/simulation.ts';
import { allXySimulation } from './all-xy/simulation.ts';
import { bellStateSimulation, bellTomographySimulation } from './bell-state/simulation.ts';
import {
  checkStatusSimulation,
  configureAllSimulation,
  configureSimulation,
  dumpBoxSimulation,
  linkUpSimulation,
  readoutConfigureSimulation,
} from './box-setup/simulation.ts';
import type { CouplingTaskName, MeasuredTaskName } from './catalog.ts';
import { checkDragHpiSimulation, checkDragPiSimulation } from './check-drag-pulse/simulation.ts';
import { checkHpiSimulation, checkPiSimulation } from './check-pulse/simulation.ts';
import { checkZx90Simulation } from './check-zx90/simulation.ts';
import {
  coarseChevronSimulation,
  fineChevronSimulation,
  qubitFrequencySimulation,
  searchedChevronSimulation,
} from './chevron/simulation.ts';
import type { BoxSetupSimulation, PairSimulation, QubitSimulation } from './common/simulation/model.ts';
import { controlAmplitudeSimulation } from './control-amplitude/simulation.ts';
import { createDragHpiSimulation, createDragPiSimulation } from './create-drag-pulse/simulation.ts';
import { createHpiSimulation, createPiSimulation } from './create-pulse/simulation.ts';
import { createZx90Simulation } from './create-zx90/simulation.ts';
import { crossResonanceSimulation } from './cross-resonance/simulation.ts';
import { czChevronSimulation } from './cz-chevron/simulation.ts';
import { czPhaseSimulation } from './cz-phase/simulation.ts';
import { dispersiveShiftSimulation } from './dispersive-shift/simulation.ts';
import { efSpectroscopySimulation } from './ef-spectroscopy/simulation.ts';
import { electricalDelaySimulation } from './electrical-delay/simulation.ts';
import { fineAmplitudeSimulation } from './fine-amplitude/simulation.ts';
import { leakageBenchmarkingSimulation } from './leakage-benchmarking/simulation.ts';
import { noiseSimulation } from './noise/simulation.ts';
import { optimalReadoutAmplitudeSimulation } from './optimal-readout-amplitude/simulation.ts';
import { optimalReadoutFrequencySimulation } from './optimal-readout-frequency/simulation.ts';
import { punchOutSimulation } from './punch-out/simulation.ts';
import { qubitFrequenciesSimulation } from './qubit-frequencies/simulation.ts';
import { qubitSpectroscopySimulation } from './qubit-spectroscopy/simulation.ts';
import { efRabiSimulation } from './rabi/ef-simulation.ts';
import { rabiSimulation } from './rabi/simulation.ts';
import { fineFrequencySimulation, ramseySimulation } from './ramsey/simulation.ts';
import {
  randomizedBenchmarkingSimulation,
  simultaneousBenchmarkingSimulation,
  x90BenchmarkingSimulation,
  x180BenchmarkingSimulation,
} from './randomized-benchmarking/simulation.ts';
import { readoutAmplitudeSimulation } from './readout-amplitude/simulation.ts';
import { readoutClassificationSimulation } from './readout-classification/simulation.ts';
import { readoutFrequencySimulation } from './readout-frequency/simulation.ts';
import { readoutQndSimulation } from './readout-qnd/simulation.ts';
import { reflectionSimulation } from './reflection-coefficient/simulation.ts';
import { resonatorFrequenciesSimulation } from './resonator-frequencies/simulation.ts';
import { resonatorSpectroscopySimulation } from './resonator-spectroscopy/simulation.ts';
import { stabilitySimulation } from './stability/simulation.ts';
import { staticZzSimulation } from './static-zz/simulation.ts';
import { t1AverageSimulation, t1Simulation } from './t1/simulation.ts';
import { t2EchoAverageSimulation, t2EchoSimulation } from './t2-echo/simulation.ts';
import { thermalPopulationSimulation } from './thermal-population/simulation.ts';
import { czBenchmarkingSimulation, zx90BenchmarkingSimulation } from './two-qubit-benchmarking/simulation.ts';
import { waveformSimulation } from './waveform/simulation.ts';

/** Tasks that set up the boxes. */
const boxSetupSimulations = {
  CheckStatus: checkStatusSimulation,
  LinkUp: linkUpSimulation,
  DumpBox: dumpBoxSimulation,
  Configure: configureSimulation,
  ConfigureAll: configureAllSimulation,
  ReadoutConfigure: readoutConfigureSimulation,
} satisfies Partial<Record<MeasuredTaskName, BoxSetupSimulation>>;

/** All measurements of couplings. */
const pairSimulations = {
  CheckStaticZZ: staticZzSimulation,
  CheckCrossResonance: crossResonanceSimulation,
  CreateZX90: createZx90Simulation,
  CheckZX90: checkZx90Simulation,
  CheckBellState: bellStateSimulation,
  CheckBellStateTomography: bellTomographySimulation,
  ZX90InterleavedRandomizedBenchmarking: zx90BenchmarkingSimulation,
  CheckCZChevron: czChevronSimulation,
  CheckCZPhase: czPhaseSimulation,
  CZInterleavedRandomizedBenchmarking: czBenchmarkingSimulation,
} satisfies Record<Extract<MeasuredTaskName, CouplingTaskName>, PairSimulation>;

type BoxSetupTaskName = keyof typeof boxSetupSimulations;

/**
 * All other measurements. The type check fails if a task of the catalog is in none of the three groups, or if a name is
 * not in the catalog.
 */
const qubitSimulations = {
  CheckNoise: noiseSimulation,
  CheckElectricalDelay: electricalDelaySimulation,
  CheckResonatorFrequencies: resonatorFrequenciesSimulation,
  CheckResonatorSpectroscopy: resonatorSpectroscopySimulation,
  CheckReflectionCoefficient: reflectionSimulation,
  CheckPunchOut: punchOutSimulation,
  CheckReadoutAmplitude: readoutAmplitudeSimulation,
  CheckQubitFrequencies: qubitFrequenciesSimulation,
  CheckQubitSpectroscopy: qubitSpectroscopySimulation,
  CheckSimultaneousQubitSpectroscopy: qubitSpectroscopySimulation,
  CheckControlAmplitude: controlAmplitudeSimulation,
  CheckWaveform: waveformSimulation,
  CheckChevron: searchedChevronSimulation,
  CheckCoarseChevron: coarseChevronSimulation,
  CheckFineChevron: fineChevronSimulation,
  CheckQubitFrequency: qubitFrequencySimulation,
  CheckQubit: rabiSimulation,
  CheckReadoutFrequency: readoutFrequencySimulation,
  CheckDispersiveShift: dispersiveShiftSimulation,
  CheckOptimalReadoutFrequency: optimalReadoutFrequencySimulation,
  CheckOptimalReadoutAmplitude: optimalReadoutAmplitudeSimulation,
  CheckRabi: rabiSimulation,
  CreateHPIPulse: createHpiSimulation,
  CheckHPIPulse: checkHpiSimulation,
  CreatePIPulse: createPiSimulation,
  CheckPIPulse: checkPiSimulation,
  CheckT1: t1Simulation,
  CheckT2Echo: t2EchoSimulation,
  CheckRamsey: ramseySimulation,
  CheckT1Average: t1AverageSimulation,
  CheckT2EchoAverage: t2EchoAverageSimulation,
  CreateDRAGHPIPulse: createDragHpiSimulation,
  CheckDRAGHPIPulse: checkDragHpiSimulation,
  CreateDRAGPIPulse: createDragPiSimulation,
  CheckDRAGPIPulse: checkDragPiSimulation,
  CheckFineFrequency: fineFrequencySimulation,
  CheckFineAmplitude: fineAmplitudeSimulation,
  CheckAllXY: allXySimulation,
  CheckEFSpectroscopy: efSpectroscopySimulation,
  CheckEFRabi: efRabiSimulation,
  CheckThermalPopulation: thermalPopulationSimulation,
  ReadoutClassification: readoutClassificationSimulation,
  CheckReadoutQND: readoutQndSimulation,
  CheckActiveReset: activeResetSimulation,
  CheckStability: stabilitySimulation,
  RandomizedBenchmarking: randomizedBenchmarkingSimulation,
  X90InterleavedRandomizedBenchmarking: x90BenchmarkingSimulation,
  X180InterleavedRandomizedBenchmarking: x180BenchmarkingSimulation,
  LeakageRandomizedBenchmarking: leakageBenchmarkingSimulation,
  SimultaneousRandomizedBenchmarking: simultaneousBenchmarkingSimulation,
} satisfies Record<Exclude<MeasuredTaskName, CouplingTaskName | BoxSetupTaskName>, QubitSimulation>;

function entry<Simulation>(
  simulations: Readonly<Record<string, Simulation>>,
  taskName: string,
): Simulation | undefined {
  return Object.hasOwn(simulations, taskName) ? simulations[taskName] : undefined;
}

/** Simulation of a set-up task; undefined for others. */
export function boxSetupSimulation(taskName: string): BoxSetupSimulation | undefined {
  return entry(boxSetupSimulations, taskName);
}

/** Simulation of a task on the qubits of a coupling; undefined for others. */
export function pairSimulation(taskName: string): PairSimulation | undefined {
  return entry(pairSimulations, taskName);
}

/** Simulation of a task on one qubit; undefined for others. */
export function qubitSimulation(taskName: string): QubitSimulation | undefined {
  return entry(qubitSimulations, taskName);
}

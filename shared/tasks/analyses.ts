import { receivedDataset } from '../science/datasets/received.ts';
import { analyseActiveReset } from './active-reset/analysis.ts';
import { analyseAllXy } from './all-xy/analysis.ts';
import { analyseBellState, analyseBellTomography } from './bell-state/analysis.ts';
import { analyseNothing } from './box-setup/analysis.ts';
import type { TaskName } from './catalog.ts';
import { analyseDragHpiRepetition, analyseDragPiRepetition } from './check-drag-pulse/analysis.ts';
import { analyseHpiRepetition, analysePiRepetition } from './check-pulse/analysis.ts';
import { analyseZx90Repetition } from './check-zx90/analysis.ts';
import {
  analyseCoarseChevron,
  analyseGridChevron,
  analyseQubitFrequency,
  analyseSearchedChevron,
} from './chevron/analysis.ts';
import type { Analyse, Analysis, AnalysisInput } from './common/analysis/model.ts';
import { withoutFigures } from './common/analysis/results.ts';
import { analyseControlAmplitude } from './control-amplitude/analysis.ts';
import { analyseDragHpiCreation, analyseDragPiCreation } from './create-drag-pulse/analysis.ts';
import { analyseHpiCreation, analysePiCreation } from './create-pulse/analysis.ts';
import { analyseZx90Creation } from './create-zx90/analysis.ts';
import { analyseCrossResonance } from './cross-resonance/analysis.ts';
import { analyseCzChevron } from './cz-chevron/analysis.ts';
import { analyseCzPhase } from './cz-phase/analysis.ts';
import { analyseDispersiveShift } from './dispersive-shift/analysis.ts';
import { analyseEfSpectroscopy } from './ef-spectroscopy/analysis.ts';
import { analyseElectricalDelay } from './electrical-delay/analysis.ts';
import { analyseFineAmplitude } from './fine-amplitude/analysis.ts';
import { analyseLeakageBenchmarking } from './leakage-benchmarking/analysis.ts';
import { analyseNoise } from './noise/analysis.ts';
import { analyseOneQubitCoherenceLimit } from './one-qubit-coherence-limit/analysis.ts';
import { analyseOptimalReadoutAmplitude } from './optimal-readout-amplitude/analysis.ts';
import { analyseOptimalReadoutFrequency } from './optimal-readout-frequency/analysis.ts';
import { analysePunchOut } from './punch-out/analysis.ts';
import { analyseQubitFrequencies } from './qubit-frequencies/analysis.ts';
import { analyseQubitSpectroscopy } from './qubit-spectroscopy/analysis.ts';
import { analyseQubit, analyseRabi } from './rabi/analysis.ts';
import { analyseEfRabi } from './rabi/ef-analysis.ts';
import { analyseFineFrequency, analyseRamsey } from './ramsey/analysis.ts';
import {
  analyseRandomizedBenchmarking,
  analyseSimultaneousBenchmarking,
  analyseX90Benchmarking,
  analyseX180Benchmarking,
} from './randomized-benchmarking/analysis.ts';
import { analyseReadoutAmplitude } from './readout-amplitude/analysis.ts';
import { analyseReadoutClassification } from './readout-classification/analysis.ts';
import { analyseReadoutFrequency } from './readout-frequency/analysis.ts';
import { analyseReadoutQnd } from './readout-qnd/analysis.ts';
import { analyseReflectionCoefficient } from './reflection-coefficient/analysis.ts';
import { analyseResonatorFrequencies } from './resonator-frequencies/analysis.ts';
import { analyseResonatorSpectroscopy } from './resonator-spectroscopy/analysis.ts';
import { analyseStability } from './stability/analysis.ts';
import { analyseStaticZz } from './static-zz/analysis.ts';
import { analyseT1, analyseT1Average } from './t1/analysis.ts';
import { analyseT2Echo, analyseT2EchoAverage } from './t2-echo/analysis.ts';
import { analyseThermalPopulation } from './thermal-population/analysis.ts';
import { analyseCzBenchmarking, analyseZx90Benchmarking } from './two-qubit-benchmarking/analysis.ts';
import { analyseTwoQubitCoherenceLimit } from './two-qubit-coherence-limit/analysis.ts';
import { analyseWaveform } from './waveform/analysis.ts';

/** The analysis of every task of the catalog. The type check fails if one is missing or belongs to no task. */
const analyses = {
  CheckStatus: analyseNothing,
  LinkUp: analyseNothing,
  DumpBox: analyseNothing,
  Configure: analyseNothing,
  ConfigureAll: analyseNothing,
  ReadoutConfigure: analyseNothing,
  CheckNoise: analyseNoise,
  CheckElectricalDelay: analyseElectricalDelay,
  CheckResonatorFrequencies: analyseResonatorFrequencies,
  CheckResonatorSpectroscopy: analyseResonatorSpectroscopy,
  CheckReflectionCoefficient: analyseReflectionCoefficient,
  CheckPunchOut: analysePunchOut,
  CheckReadoutAmplitude: analyseReadoutAmplitude,
  CheckQubitFrequencies: analyseQubitFrequencies,
  CheckQubitSpectroscopy: analyseQubitSpectroscopy,
  CheckSimultaneousQubitSpectroscopy: analyseQubitSpectroscopy,
  CheckControlAmplitude: analyseControlAmplitude,
  CheckWaveform: analyseWaveform,
  CheckChevron: analyseSearchedChevron,
  CheckCoarseChevron: analyseCoarseChevron,
  CheckFineChevron: analyseGridChevron,
  CheckQubitFrequency: analyseQubitFrequency,
  CheckQubit: analyseQubit,
  CheckReadoutFrequency: analyseReadoutFrequency,
  CheckDispersiveShift: analyseDispersiveShift,
  CheckOptimalReadoutFrequency: analyseOptimalReadoutFrequency,
  CheckOptimalReadoutAmplitude: analyseOptimalReadoutAmplitude,
  CheckRabi: analyseRabi,
  CreateHPIPulse: analyseHpiCreation,
  CheckHPIPulse: analyseHpiRepetition,
  CreatePIPulse: analysePiCreation,
  CheckPIPulse: analysePiRepetition,
  CheckT1: analyseT1,
  CheckT2Echo: analyseT2Echo,
  CheckRamsey: analyseRamsey,
  CheckT1Average: analyseT1Average,
  CheckT2EchoAverage: analyseT2EchoAverage,
  CreateDRAGHPIPulse: analyseDragHpiCreation,
  CheckDRAGHPIPulse: analyseDragHpiRepetition,
  CreateDRAGPIPulse: analyseDragPiCreation,
  CheckDRAGPIPulse: analyseDragPiRepetition,
  CheckFineFrequency: analyseFineFrequency,
  CheckFineAmplitude: analyseFineAmplitude,
  CheckAllXY: analyseAllXy,
  CheckEFSpectroscopy: analyseEfSpectroscopy,
  CheckEFRabi: analyseEfRabi,
  CheckThermalPopulation: analyseThermalPopulation,
  ReadoutClassification: analyseReadoutClassification,
  CheckReadoutQND: analyseReadoutQnd,
  CheckActiveReset: analyseActiveReset,
  CheckStability: analyseStability,
  Check1QGateCoherenceLimit: analyseOneQubitCoherenceLimit,
  RandomizedBenchmarking: analyseRandomizedBenchmarking,
  X90InterleavedRandomizedBenchmarking: analyseX90Benchmarking,
  X180InterleavedRandomizedBenchmarking: analyseX180Benchmarking,
  LeakageRandomizedBenchmarking: analyseLeakageBenchmarking,
  SimultaneousRandomizedBenchmarking: analyseSimultaneousBenchmarking,
  CheckStaticZZ: analyseStaticZz,
  CheckCrossResonance: analyseCrossResonance,
  CreateZX90: analyseZx90Creation,
  CheckZX90: analyseZx90Repetition,
  CheckBellState: analyseBellState,
  CheckBellStateTomography: analyseBellTomography,
  Check2QGateCoherenceLimit: analyseTwoQubitCoherenceLimit,
  ZX90InterleavedRandomizedBenchmarking: analyseZx90Benchmarking,
  CheckCZChevron: analyseCzChevron,
  CheckCZPhase: analyseCzPhase,
  CZInterleavedRandomizedBenchmarking: analyseCzBenchmarking,
} satisfies Record<TaskName, Analyse>;

function analysisOf(taskName: string): Analyse | undefined {
  const all: Readonly<Record<string, Analyse>> = analyses;
  return Object.hasOwn(all, taskName) ? all[taskName] : undefined;
}

/**
 * Analyses the data of one target: fits, outputs with standard errors, figures. For bad data it does not throw, but gives
 * the reason in `refused`; it never returns a value that is not finite. The data are first converted to the units and the
 * order of dimensions that analyses expect.
 */
export function analyse(input: AnalysisInput): Analysis {
  const dataset = receivedDataset(input.dataset);
  if (typeof dataset === 'string') return withoutFigures(dataset);
  const result = analysisOf(input.task.name)?.({ ...input, dataset });
  if (result === undefined) return withoutFigures(`there is no analysis for ${input.task.name}`);
  const broken = Object.entries(result.outputs).find(
    ([, { value, error }]) => !Number.isFinite(value) || !Number.isFinite(error),
  );
  if (broken === undefined) return result;
  const [name, { value, error }] = broken;
  return { ...result, outputs: {}, refused: `the fit gives no finite ${name}: ${value} ± ${error}` };
}

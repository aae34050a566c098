import { analyseBellState, analyseBellTomography } from './bell-state.ts';
import { analyseNoise, analyseNothing } from './box-setup.ts';
import { analyseT1Average, analyseT2EchoAverage } from './check-averages.ts';
import { analyseGridChevron, analyseQubitFrequency, analyseSearchedChevron } from './check-chevron.ts';
import { analyseControlAmplitude } from './check-control-amplitude.ts';
import { analyseCrossResonance } from './check-cross-resonance.ts';
import { analyseDispersiveShift } from './check-dispersive-shift.ts';
import { analyseElectricalDelay } from './check-electrical-delay.ts';
import { analyseHpiRepetition, analysePiRepetition } from './check-pulse.ts';
import { analyseQubit } from './check-qubit.ts';
import { analyseQubitFrequencies } from './check-qubit-frequencies.ts';
import { analyseQubitSpectroscopy } from './check-qubit-spectroscopy.ts';
import { analyseRabi } from './check-rabi.ts';
import { analyseRamsey } from './check-ramsey.ts';
import { analyseReadoutAmplitude } from './check-readout-amplitude.ts';
import { analyseReflectionCoefficient } from './check-reflection-coefficient.ts';
import { analyseResonatorFrequencies } from './check-resonator-frequencies.ts';
import { analyseResonatorSpectroscopy } from './check-resonator-spectroscopy.ts';
import { analyseStaticZz } from './check-static-zz.ts';
import { analyseT1 } from './check-t1.ts';
import { analyseT2Echo } from './check-t2-echo.ts';
import { analyseWaveform } from './check-waveform.ts';
import { analyseZx90Repetition } from './check-zx90.ts';
import { analyseDragHpiCreation, analyseDragPiCreation } from './create-drag-pulse.ts';
import { analyseHpiCreation, analysePiCreation } from './create-pulse.ts';
import { analyseZx90Creation } from './create-zx90.ts';
import type { Analysis, AnalysisInput } from './model.ts';
import { analyseOneQubitCoherenceLimit } from './one-qubit-coherence-limit.ts';
import { withoutFigures } from './parts.ts';
import {
  analyseRandomizedBenchmarking,
  analyseX90Benchmarking,
  analyseX180Benchmarking,
} from './randomized-benchmarking.ts';
import { analyseOptimalReadoutAmplitude } from './readout-amplitude.ts';
import { analyseReadoutClassification } from './readout-classification.ts';
import { analyseOptimalReadoutFrequency, analyseReadoutFrequency } from './readout-frequency.ts';
import { analyseZx90Benchmarking } from './two-qubit-benchmarking.ts';
import { analyseTwoQubitCoherenceLimit } from './two-qubit-coherence-limit.ts';

const analyses = new Map<string, (input: AnalysisInput) => Analysis>([
  ['CheckResonatorSpectroscopy', analyseResonatorSpectroscopy],
  ['CheckQubitSpectroscopy', analyseQubitSpectroscopy],
  ['CheckControlAmplitude', analyseControlAmplitude],
  ['CheckStatus', analyseNothing],
  ['LinkUp', analyseNothing],
  ['DumpBox', analyseNothing],
  ['Configure', analyseNothing],
  ['ConfigureAll', analyseNothing],
  ['ReadoutConfigure', analyseNothing],
  ['CheckNoise', analyseNoise],
  ['CheckElectricalDelay', analyseElectricalDelay],
  ['CheckResonatorFrequencies', analyseResonatorFrequencies],
  ['CheckReflectionCoefficient', analyseReflectionCoefficient],
  ['CheckReadoutAmplitude', analyseReadoutAmplitude],
  ['CheckQubitFrequencies', analyseQubitFrequencies],
  ['CheckSimultaneousQubitSpectroscopy', analyseQubitSpectroscopy],
  ['CheckWaveform', analyseWaveform],
  ['CheckRabi', analyseRabi],
  ['CheckT1', analyseT1],
  ['CreateHPIPulse', analyseHpiCreation],
  ['CheckHPIPulse', analyseHpiRepetition],
  ['CreatePIPulse', analysePiCreation],
  ['CheckPIPulse', analysePiRepetition],
  ['CheckT2Echo', analyseT2Echo],
  ['CheckOptimalReadoutAmplitude', analyseOptimalReadoutAmplitude],
  ['CheckQubit', analyseQubit],
  ['CheckReadoutFrequency', analyseReadoutFrequency],
  ['CheckDispersiveShift', analyseDispersiveShift],
  ['CheckOptimalReadoutFrequency', analyseOptimalReadoutFrequency],
  ['CheckT1Average', analyseT1Average],
  ['CheckT2EchoAverage', analyseT2EchoAverage],
  ['CheckChevron', analyseSearchedChevron],
  ['CheckCoarseChevron', analyseGridChevron],
  ['CheckFineChevron', analyseGridChevron],
  ['CheckQubitFrequency', analyseQubitFrequency],
  ['CheckRamsey', analyseRamsey],
  ['ReadoutClassification', analyseReadoutClassification],
  ['RandomizedBenchmarking', analyseRandomizedBenchmarking],
  ['X90InterleavedRandomizedBenchmarking', analyseX90Benchmarking],
  ['X180InterleavedRandomizedBenchmarking', analyseX180Benchmarking],
  ['Check1QGateCoherenceLimit', analyseOneQubitCoherenceLimit],
  ['CreateDRAGHPIPulse', analyseDragHpiCreation],
  ['CheckDRAGHPIPulse', analyseHpiRepetition],
  ['CreateDRAGPIPulse', analyseDragPiCreation],
  ['CheckDRAGPIPulse', analysePiRepetition],
  ['CheckStaticZZ', analyseStaticZz],
  ['CheckCrossResonance', analyseCrossResonance],
  ['CreateZX90', analyseZx90Creation],
  ['CheckZX90', analyseZx90Repetition],
  ['CheckBellState', analyseBellState],
  ['CheckBellStateTomography', analyseBellTomography],
  ['Check2QGateCoherenceLimit', analyseTwoQubitCoherenceLimit],
  ['ZX90InterleavedRandomizedBenchmarking', analyseZx90Benchmarking],
]);

/** Whether Calibron can analyse data of this task by itself. */
export function canAnalyse(taskName: string): boolean {
  return analyses.has(taskName);
}

/**
 * Analyses the data of one target: fits, outputs with standard errors, figures. Never throws for bad data, but says
 * in `refused` why it found nothing; never returns a value that is not finite.
 */
export function analyse(input: AnalysisInput): Analysis {
  const analysis = analyses.get(input.task.name);
  if (analysis === undefined) return withoutFigures(`there is no analysis for ${input.task.name}`);
  const result = analysis(input);
  const broken = Object.entries(result.outputs).find(
    ([, { value, error }]) => !Number.isFinite(value) || !Number.isFinite(error),
  );
  if (broken === undefined) return result;
  const [name, { value, error }] = broken;
  return { ...result, outputs: {}, refused: `the fit gives no finite ${name}: ${value} ± ${error}` };
}

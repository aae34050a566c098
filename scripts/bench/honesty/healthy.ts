import { dragAmplitude } from '../../../shared/science/device/drag-pulses.ts';
import type { Listed, PairTruths, QubitKind, StoredValues } from './model.ts';
import { bestReadout, device, still } from './truths/device.ts';
import { flux } from './truths/flux.ts';
import { oscillation } from './truths/oscillation.ts';
import { pair } from './truths/pair.ts';
import {
  allXy,
  benchmarking,
  dragCreation,
  dragRotationError,
  fineAmplitude,
  interleaved,
  leakage,
  plain,
  plainRotation,
  simultaneous,
} from './truths/pulses.ts';
import { classification, optimalAmplitude, qnd, reset } from './truths/single-shots.ts';

/** Continuous tones find and use the resonator with its qubit in the ground state. */
const onResonator: Pick<QubitKind, 'changeStored'> = {
  changeStored: (stored: StoredValues, { qubit }) => ({
    ...stored,
    readout_frequency: qubit.resonatorGround,
  }),
};

const ofQubits: readonly Omit<QubitKind, 'group' | 'name'>[] = [
  { task: 'CheckElectricalDelay', truths: device.delay },
  { task: 'CheckResonatorFrequencies', truths: device.coarseResonator },
  { task: 'CheckResonatorSpectroscopy', truths: device.resonator },
  { task: 'CheckReflectionCoefficient', truths: device.reflection },
  { task: 'CheckPunchOut', truths: device.punchOut },
  { task: 'CheckReadoutAmplitude', truths: device.readoutAmplitude, ...onResonator },
  { task: 'CheckQubitFrequencies', truths: device.coarseFrequency, ...onResonator },
  { task: 'CheckQubitSpectroscopy', truths: device.spectroscopy },
  { task: 'CheckSimultaneousQubitSpectroscopy', truths: device.spectroscopy },
  {
    task: 'CheckControlAmplitude',
    truths: device.controlAmplitude,
    // The stored amplitude, known from spectroscopy, is half of the one that the task determines.
    changeStored: (stored, { qubit }) => ({
      ...stored,
      readout_frequency: qubit.resonatorGround,
      coarse_control_amplitude: 0.5 * (stored.control_amplitude ?? 0),
    }),
  },
  { task: 'CheckChevron', truths: device.chevron },
  { task: 'CheckCoarseChevron', truths: device.chevron },
  { task: 'CheckFineChevron', truths: device.chevron },
  { task: 'CheckQubitFrequency', truths: device.frequency },
  {
    task: 'CheckQubit',
    truths: (trial, found) => ({ ...device.rabiFrequency(trial), ...oscillation(trial, found) }),
  },
  { task: 'CheckReadoutFrequency', truths: bestReadout },
  {
    task: 'CheckDispersiveShift',
    truths: (trial, found) => ({ ...device.shift(trial), ...bestReadout(trial, found) }),
  },
  { task: 'CheckOptimalReadoutFrequency', truths: bestReadout },
  { task: 'CheckOptimalReadoutAmplitude', truths: optimalAmplitude },
  {
    task: 'CheckRabi',
    truths: (trial, found) => ({
      ...device.rabi(trial),
      ...device.rabiFrequency(trial),
      ...oscillation(trial, found),
    }),
  },
  { task: 'CreateHPIPulse', truths: plain.hpi },
  { task: 'CheckHPIPulse', truths: plainRotation('hpi') },
  { task: 'CreatePIPulse', truths: plain.pi },
  { task: 'CheckPIPulse', truths: plainRotation('pi') },
  { task: 'CheckT1', truths: device.t1 },
  { task: 'CheckT2Echo', truths: device.t2Echo },
  { task: 'CheckRamsey', truths: device.ramsey },
  { task: 'CheckT1Average', truths: device.t1Average },
  { task: 'CheckT2EchoAverage', truths: device.t2EchoAverage },
  { task: 'CreateDRAGHPIPulse', truths: dragCreation('drag_hpi') },
  { task: 'CheckDRAGHPIPulse', truths: dragRotationError('hpi') },
  { task: 'CreateDRAGPIPulse', truths: dragCreation('drag_pi') },
  { task: 'CheckDRAGPIPulse', truths: dragRotationError('pi') },
  { task: 'CheckFineFrequency', truths: device.fineFrequency },
  { task: 'CheckFineAmplitude', truths: fineAmplitude },
  {
    task: 'CheckAllXY',
    truths: allXy,
    // The task determines a single error that is common to all amplitudes.
    changeStored: (stored, { qubit }) => ({
      ...stored,
      drag_pi_amplitude:
        ((stored.drag_hpi_amplitude ?? 0) * dragAmplitude(qubit, Math.PI, 24)) /
        dragAmplitude(qubit, Math.PI / 2, 16),
    }),
  },
  { task: 'CheckEFSpectroscopy', truths: device.secondTransition },
  { task: 'CheckEFRabi', truths: device.efRabi },
  { task: 'CheckThermalPopulation', truths: device.thermalPopulation },
  { task: 'ReadoutClassification', truths: classification },
  { task: 'CheckReadoutQND', truths: qnd },
  { task: 'CheckActiveReset', truths: reset },
  { task: 'CheckStability', truths: still },
  { task: 'RandomizedBenchmarking', truths: benchmarking },
  { task: 'X90InterleavedRandomizedBenchmarking', truths: interleaved('x90') },
  { task: 'X180InterleavedRandomizedBenchmarking', truths: interleaved('x180') },
  { task: 'LeakageRandomizedBenchmarking', truths: leakage },
  { task: 'SimultaneousRandomizedBenchmarking', truths: simultaneous },
];

const ofPairs: readonly { task: string; truths: PairTruths }[] = [
  { task: 'CheckStaticZZ', truths: pair.zz },
  { task: 'CheckCrossResonance', truths: pair.crossResonance },
  { task: 'CreateZX90', truths: pair.creation },
  { task: 'CheckZX90', truths: pair.rotation },
  { task: 'CheckBellState', truths: pair.nothing },
  { task: 'CheckBellStateTomography', truths: pair.bell },
  { task: 'ZX90InterleavedRandomizedBenchmarking', truths: pair.benchmarking },
  { task: 'CheckCZChevron', truths: flux.chevron },
  { task: 'CheckCZPhase', truths: flux.phase },
  { task: 'CZInterleavedRandomizedBenchmarking', truths: flux.benchmarking },
];

/** Every measuring task, on usual devices with the results of earlier tasks. */
export const healthy: readonly Listed[] = [
  ...ofQubits.map((kind) => ({ ...kind, name: kind.task })),
  ...ofPairs.map((kind) => ({ ...kind, name: kind.task, of: 'pair' as const })),
  { of: 'pair', name: 'CreateZX90 again', task: 'CreateZX90', truths: pair.creation, isMade: true },
];

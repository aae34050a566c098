import { zx90GateTime, zx90PulseLength } from '../../science/conventions/cross-resonance.ts';
import { controlMixing } from '../../science/device/cross-resonance.ts';
import { readOut } from '../../science/device/readout.ts';
import { composeRotations, IDENTITY, polarisationAfter } from '../../science/quantum/rotations.ts';
import { loadedPulse } from '../common/simulation/drag-experiment.ts';
import type { PairSimulation } from '../common/simulation/model.ts';
import { loadedDrive } from '../common/simulation/pair-experiment.ts';
import { addPairReferences } from '../common/simulation/pair-references.ts';
import { readoutSettings, repetitionCounts, requireNumber } from '../common/simulation/parameters.ts';
import { shorten, sweepDataset } from '../common/simulation/sweeps.ts';
import { keptByGate, playedZx90 } from '../common/simulation/zx90-gate.ts';

/** Repeats the calibrated gate 0, 1, 2, … times with the control in its ground state, and reads both qubits. */
export const checkZx90Simulation: PairSimulation = {
  measure(experiment) {
    const { pair, inputs, run, control, target, noise } = experiment;
    const { amplitude } = loadedDrive(experiment);
    const lengthNs = zx90PulseLength(requireNumber(inputs, 'zx_rotation_rate'));
    const gateTime = zx90GateTime(lengthNs, loadedPulse(control, 'drag_hpi').lengthNs);
    const [gate] = playedZx90(experiment).rotations;
    const kept = keptByGate(experiment, gateTime, amplitude);
    const stays = 1 - 2 * controlMixing(pair, amplitude);
    const counts = repetitionCounts(run);
    let rotation = IDENTITY;
    const populations = counts.map((count) => {
      if (count > 0) rotation = composeRotations(rotation, gate);
      return (1 - kept ** count * polarisationAfter(rotation)) / 2;
    });
    const ofControl = counts.map((count) => (1 - stays ** count) / 2);
    // Not `repetition`, which is the axis of the prepared states.
    const axis = { name: 'gate_count', longName: 'Number of gates', unit: '', points: counts };
    const { variables, ...rest } = sweepDataset(
      axis,
      readOut(target.qubit, readoutSettings(target), populations, noise),
    );
    const other = readOut(control.qubit, readoutSettings(control), ofControl, noise);
    const part = { dims: ['gate_count'], unit: 'a.u.' };
    return addPairReferences(
      {
        ...rest,
        variables: {
          ...variables,
          control_re: { ...part, values: shorten(other.re), long_name: 'In-phase signal of the control' },
          control_im: { ...part, values: shorten(other.im), long_name: 'Quadrature signal of the control' },
        },
      },
      experiment,
    );
  },
};

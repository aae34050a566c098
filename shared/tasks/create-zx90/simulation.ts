import {
  ZX90_SWEEP_GATES,
  type Zx90Plan,
  zx90GateTime,
  zx90Plan,
} from '../../science/conventions/cross-resonance.ts';
import type { Dataset } from '../../science/datasets/model.ts';
import { echoedRotation } from '../../science/device/cross-resonance.ts';
import { readOut } from '../../science/device/readout.ts';
import { inSequence, polarisationAfter } from '../../science/quantum/rotations.ts';
import { loadedPulse } from '../common/simulation/drag-experiment.ts';
import type { PairSimulation } from '../common/simulation/model.ts';
import { loadedDrive, scaledDrive } from '../common/simulation/pair-experiment.ts';
import { addPairReferences } from '../common/simulation/pair-references.ts';
import { readoutSettings, requireNumber } from '../common/simulation/parameters.ts';
import { shorten } from '../common/simulation/sweeps.ts';
import { keptByGate } from '../common/simulation/zx90-gate.ts';

/** Factors on the stored amplitude at which the gate is measured. */
function sweepFactors({ from, to, points }: Zx90Plan['sweep']): number[] {
  return Array.from({ length: points }, (_, index) => from + ((to - from) * index) / (points - 1));
}

/** Plays the echoed gate once and three times over its amplitude, with the control in its ground state. */
export const createZx90Simulation: PairSimulation = {
  measure(experiment): Dataset {
    const { pair, inputs, control, target, noise } = experiment;
    const { halfLengthNs: halfNs, sweep } = zx90Plan(requireNumber(inputs, 'zx_rotation_rate'));
    const gateTime = zx90GateTime(halfNs, loadedPulse(control, 'drag_hpi').lengthNs);
    const drives = sweepFactors(sweep).map((factor) => scaledDrive(loadedDrive(experiment), factor));
    const populations = ZX90_SWEEP_GATES.flatMap((count) =>
      drives.map((drive) => {
        const gate = echoedRotation(pair, drive, halfNs, 0);
        const kept = keptByGate(experiment, gateTime, drive.amplitude) ** count;
        return (1 - kept * polarisationAfter(inSequence(Array.from({ length: count }, () => gate)))) / 2;
      }),
    );
    const signals = readOut(target.qubit, readoutSettings(target), populations, noise);
    const variable = { dims: ['gates', 'amplitude'], unit: 'a.u.' };
    const dataset = {
      dims: { gates: ZX90_SWEEP_GATES.length, amplitude: drives.length },
      coordinates: {
        gates: { dims: ['gates'], values: [...ZX90_SWEEP_GATES], unit: '', long_name: 'Number of gates' },
        amplitude: {
          dims: ['amplitude'],
          values: shorten(drives.map(({ amplitude }) => amplitude)),
          unit: 'a.u.',
          long_name: 'Amplitude of the cross-resonance tone',
        },
      },
      variables: {
        iq_re: {
          ...variable,
          values: shorten(signals.re),
          long_name: 'In-phase signal of the target, averaged',
        },
        iq_im: {
          ...variable,
          values: shorten(signals.im),
          long_name: 'Quadrature signal of the target, averaged',
        },
      },
    };
    return addPairReferences(dataset, experiment);
  },
};

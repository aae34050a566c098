import { expect } from 'vitest';
import { createSimulator } from '../../../activities/backends/simulator/simulator.ts';
import { perfectGate, perfectTones } from '../../../scripts/bench/honesty/truths/pair.ts';
import { staticZz } from '../../../shared/science/device/pair-device.ts';
import { randomFrom } from '../../../shared/science/device/random.ts';
import { bellFidelity } from '../../../shared/tasks/bell-state/pair-state.ts';
import { madeBellState } from '../../../shared/tasks/bell-state/simulation.ts';
import type { PairExperiment } from '../../../shared/tasks/common/simulation/model.ts';
import { pairExperiment } from '../../../shared/tasks/common/simulation/pair-experiment.ts';
import { playedZx90 } from '../../../shared/tasks/common/simulation/zx90-gate.ts';
import { at } from '../../support/measured.ts';
import type { measurePair } from '../../support/pairs.ts';

type MeasuredPair = Awaited<ReturnType<typeof measurePair>>;

function experimentOf({ qid, inputs, runParameters }: MeasuredPair, seed: string): PairExperiment {
  const qubitOf = (id: string) => createSimulator({ seed }).truth('chip', id, at);
  return pairExperiment(seed, qid, qubitOf, { inputs, run: runParameters, noise: randomFrom(seed) });
}

const numberIn = ({ inputs }: MeasuredPair, name: string): number => {
  const value = inputs[name]?.value;
  return typeof value === 'number' ? value : expect.fail(`no ${name}`);
};

/** Noise-free values of a coupling task's outputs, for outputs that are estimates. */
export function trueOutputs(
  measured: MeasuredPair,
  seed: string,
  found: Readonly<Record<string, { value: number }>>,
): Record<string, number> {
  const experiment = experimentOf(measured, seed);
  switch (measured.task.name) {
    case 'CheckStaticZZ':
      return { static_zz_interaction: staticZz(experiment.pair) };
    case 'CheckCrossResonance':
      return perfectTones(
        experiment.pair,
        found.cr_amplitude?.value ?? Number.NaN,
        numberIn(measured, 'target_qubit_frequency'),
      );
    case 'CreateZX90':
      return { cr_amplitude: perfectGate(experiment).cr_amplitude };
    case 'CheckBellStateTomography':
      return { bell_state_fidelity: bellFidelity(madeBellState(experiment)) };
    case 'ZX90InterleavedRandomizedBenchmarking':
      return { zx90_gate_fidelity: 1 - playedZx90(experiment).error };
    default:
      return {};
  }
}

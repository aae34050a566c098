import { expect } from 'vitest';
import { type TrueQubit, trueQubit } from '../../../shared/science/device/device.ts';
import { randomFrom } from '../../../shared/science/device/random.ts';
import type { AnalysisInput } from '../../../shared/tasks/common/analysis/model.ts';
import type { QubitSimulation } from '../../../shared/tasks/common/simulation/model.ts';
import { resolveRunParameters } from '../../../shared/tasks/run-parameters.ts';
import { at, taskOf } from '../../support/measured.ts';

/** Data of a task for each qubit of a line whose qubits were changed. */
export function readoutLine(
  { name, simulation }: { name: string; simulation: QubitSimulation },
  seed: string,
  change: (mates: TrueQubit[]) => TrueQubit[],
  run: Record<string, unknown> = {},
): (qid: string) => AnalysisInput {
  const task = taskOf(name);
  const mates = change(['0', '1', '2', '3'].map((qid) => trueQubit(seed, qid, at)));
  const { parameters } = resolveRunParameters(task, [run]);
  const [qubit = expect.fail('no qubit')] = mates;
  const dataset = simulation.measure({
    qid: '0',
    qubit,
    muxMates: () => mates,
    neighbours: () => [],
    inputs: {},
    run: parameters,
    noise: randomFrom(seed, 'noise'),
  });
  return (qid) => ({ task, qid, dataset, inputs: {}, runParameters: parameters });
}

/** The same qubits with strongly coupled resonators of one width, GHz. */
export function allOfWidth(kappa: number): (mates: TrueQubit[]) => TrueQubit[] {
  const kappaExternal = kappa / 1.06;
  return (mates) =>
    mates.map((mate) => ({ ...mate, kappa, kappaExternal, kappaInternal: kappa - kappaExternal }));
}

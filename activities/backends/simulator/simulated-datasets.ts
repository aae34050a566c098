import type { Dataset } from '../../../shared/science/datasets/model.ts';
import { datasetProblem } from '../../../shared/science/datasets/rules.ts';
import { muxOf, type TrueQubit } from '../../../shared/science/device/device.ts';
import { measureUnder } from '../../../shared/science/device/measured-phenomena.ts';
import { truePair } from '../../../shared/science/device/pair-device.ts';
import type { randomFrom } from '../../../shared/science/device/random.ts';
import { numberOf } from '../../../shared/tasks/common/parameters.ts';
import type { QubitSimulation } from '../../../shared/tasks/common/simulation/model.ts';
import { pairExperiment } from '../../../shared/tasks/common/simulation/pair-experiment.ts';
import { couplingEnds } from '../../../shared/tasks/coupling-roles.ts';
import type { ResolvedParameters } from '../../../shared/tasks/model.ts';
import { pairSimulation, qubitSimulation } from '../../../shared/tasks/simulations.ts';
import type { MeasureRequest } from '../backend.ts';
import type { DeviceInMeasurement } from './simulated-device.ts';

export interface DatasetOptions {
  /** The seed of a chip's device. */
  seedOf(chipId: string): string;
  /** Random numbers of one purpose in the measurement of a target. */
  randomOf(request: MeasureRequest, qid: string, purpose: string): ReturnType<typeof randomFrom>;
}

/** Measures the hidden device: the data of a request on each of its targets. */
export function createSimulatedDatasets({ seedOf, randomOf }: DatasetOptions) {
  function fluctuating(request: MeasureRequest, qid: string, qubit: TrueQubit): TrueQubit {
    return qubitSimulation(request.task_name)?.jitter?.(qubit, randomOf(request, qid, 'jitter')) ?? qubit;
  }

  function measureQubit(request: MeasureRequest, qid: string, device: DeviceInMeasurement): Dataset {
    const mux = muxOf(qid);
    const task = simulationOf(request);
    // All qubits of a readout line share the noise of a shared measurement.
    const source = task.shared === 'mux' ? mux.name : qid;
    const noise = randomOf(request, source, 'noise');
    const run = request.run_parameters;
    const measured = {
      qubit: fluctuating(request, qid, device.qubitOf(qid)),
      active: device.phenomenaOf(qid),
    };
    return measureUnder(
      [measured],
      randomOf(request, source, 'phenomena'),
      ([qubit = measured.qubit], part) =>
        task.measure({
          qid,
          qubit,
          muxMates: () => mux.qids.map(device.qubitOf),
          neighbours: () =>
            mux.qids
              .filter((other) => other !== qid)
              .map((other) => {
                const ends = { control: other, target: qid };
                return truePair(seedOf(request.chip_id), ends, device.qubitOf(other), qubit);
              }),
          later: (seconds) => device.later(qid, seconds),
          inputs: request.target_parameters?.[qid] ?? request.input_parameters,
          run: part === 1 ? run : withShots(run, part),
          noise,
        }),
    );
  }

  function measurePair(request: MeasureRequest, qid: string, device: DeviceInMeasurement): Dataset {
    const task = pairSimulation(request.task_name);
    if (task === undefined) throw new Error(`The simulator cannot measure ${request.task_name}.`);
    const inputs = request.target_parameters?.[qid] ?? request.input_parameters;
    const noise = randomOf(request, qid, 'noise');
    const run = request.run_parameters;
    const ends = Object.values(couplingEnds(qid) ?? {});
    const measured = ends.map((end) => ({ qubit: device.qubitOf(end), active: device.phenomenaOf(end) }));
    return measureUnder(measured, randomOf(request, qid, 'phenomena'), (qubits, part) => {
      const qubitOf = (end: string) => qubits[ends.indexOf(end)] ?? device.qubitOf(end);
      const given = { inputs, run: part === 1 ? run : withShots(run, part), noise };
      return task.measure(pairExperiment(seedOf(request.chip_id), qid, qubitOf, given));
    });
  }

  function measureTarget(request: MeasureRequest, qid: string, device: DeviceInMeasurement): Dataset {
    const dataset =
      request.task_type === 'coupling'
        ? measurePair(request, qid, device)
        : measureQubit(request, qid, device);
    const problem = datasetProblem(dataset);
    if (problem !== null) throw new Error(`The simulator produced an inconsistent dataset: ${problem}.`);
    return dataset;
  }

  return { fluctuating, measureTarget };
}

/** @throws Error if the simulator has no such task */
export function simulationOf(request: MeasureRequest): QubitSimulation {
  const found = qubitSimulation(request.task_name);
  if (found === undefined) throw new Error(`The simulator cannot measure ${request.task_name}.`);
  return found;
}

/** The same settings with a fraction of the shots. */
function withShots(run: ResolvedParameters, part: number): ResolvedParameters {
  const { shots } = run;
  const count = numberOf(shots);
  if (shots === undefined || count === undefined) return run;
  return { ...run, shots: { ...shots, value: Math.max(1, Math.round(count * part)) } };
}

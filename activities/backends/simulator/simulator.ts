import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Dataset } from '../../../shared/science/datasets/model.ts';
import { datasetProblem } from '../../../shared/science/datasets/rules.ts';
import { defectiveQubit } from '../../../shared/science/device/defects.ts';
import { muxOf, type TrueQubit } from '../../../shared/science/device/device.ts';
import { UNDRIFTED } from '../../../shared/science/device/device-drift.ts';
import { type Incident, struckQubit } from '../../../shared/science/device/incidents.ts';
import { measureUnder } from '../../../shared/science/device/measured-phenomena.ts';
import { truePair } from '../../../shared/science/device/pair-device.ts';
import { changedQubit, type Phenomenon } from '../../../shared/science/device/phenomena.ts';
import { randomFrom } from '../../../shared/science/device/random.ts';
import { numberOf } from '../../../shared/tasks/common/parameters.ts';
import type { QubitSimulation } from '../../../shared/tasks/common/simulation/model.ts';
import { pairExperiment } from '../../../shared/tasks/common/simulation/pair-experiment.ts';
import { couplingEnds } from '../../../shared/tasks/coupling-roles.ts';
import type { ResolvedParameters } from '../../../shared/tasks/model.ts';
import { boxSetupSimulation, pairSimulation, qubitSimulation } from '../../../shared/tasks/simulations.ts';
import type { MeasureRequest, MeasureResult, TargetResult } from '../backend.ts';
import { createDelivery } from './delivery.ts';
import { drownInNoise, falseOutputs, garbageAnswer, oversizeAnswer, spoil } from './false-answers.ts';
import { deviceTime, type FaultPlan, type FaultRule, findFault, readFaultPlan } from './faults.ts';
import { writeJournal } from './journal.ts';
import { type StartValue, startValues } from './start-values.ts';
import { type MeasureControl, spendTime } from './waiting.ts';

export interface SimulatorOptions {
  /** Seed of the hidden device. Default: the chip's id, so that every chip is different. */
  seed?: string;
  /** Noise seed: repeated measurements of a task on a target then get the same noise. Default: different noise each time. */
  noiseSeed?: string;
  /** File to which each start, end and abort of a measurement is appended. Default: none. */
  journalPath?: string;
  /** Duration of a measurement in real seconds. Default: 0. */
  timeScale?: number;
  /** Defects of the device and faults of the instrument. Default: none. */
  faults?: FaultPlan;
  /** JSON file with a fault plan, read at each measurement. It takes precedence over `faults`. */
  faultsPath?: string;
  /** Address of the API to which large data is uploaded. Default: it is written to the request's `artifact_dir`. */
  uploadUrl?: string;
  /** Clock that determines the drift, unless the fault plan has one. Default: the real time. */
  now?: () => Date;
}

export interface Simulator {
  /**
   * Carries out a {@link MeasureRequest}. The answer is a MeasureResult unless a fault changes it, so the caller must
   * validate it like the answer of any backend. Rejects with the signal's reason when aborted.
   */
  measure(request: MeasureRequest, control: MeasureControl): Promise<unknown>;
  /** True properties of a qubit, including the defects from `faults`. */
  truth(chipId: string, qid: string, at: Date): TrueQubit;
  /** True properties during this measurement, including its jitter. */
  truthOf(request: MeasureRequest, qid: string, at: Date): TrueQubit;
  /** Start values: the true ones with a small error, without defects. */
  startValues(chipId: string, qid: string, at: Date): Record<string, StartValue>;
}

/** The hidden device during one measurement, with the changes of its qubits meanwhile. */
interface DeviceInMeasurement {
  qubitOf(qid: string): TrueQubit;
  phenomenaOf(qid: string): readonly Phenomenon[];
  /** A qubit, the given number of seconds after the start of the measurement. */
  later(qid: string, seconds: number): TrueQubit;
}

/** The same settings with a fraction of the shots. */
function withShots(run: ResolvedParameters, part: number): ResolvedParameters {
  const { shots } = run;
  const count = numberOf(shots);
  if (shots === undefined || count === undefined) return run;
  return { ...run, shots: { ...shots, value: Math.max(1, Math.round(count * part)) } };
}

/** A simulated chip behind the backend's contract: hidden true device, textbook physics, noisy readout. */
export function createSimulator(options: SimulatorOptions = {}): Simulator {
  const now = options.now ?? (() => new Date());
  const seedOf = (chipId: string) => options.seed ?? chipId;

  function randomOf(request: MeasureRequest, qid: string, purpose: string) {
    const { task_name, execution_id, task_id, attempt, pass } = request;
    const which = options.noiseSeed === undefined ? [execution_id, task_id] : [options.noiseSeed];
    const key = [seedOf(request.chip_id), qid, task_name, ...which, attempt];
    return randomFrom(...key, ...(pass === undefined ? [] : [pass]), purpose);
  }

  function simulationOf(request: MeasureRequest): QubitSimulation {
    const found = qubitSimulation(request.task_name);
    if (found === undefined) throw new Error(`The simulator cannot measure ${request.task_name}.`);
    return found;
  }

  async function currentPlan(): Promise<FaultPlan> {
    const given: FaultPlan = options.faults ?? { rules: [] };
    if (options.faultsPath === undefined) return given;
    const { rules, defects = [], phenomena = [], incidents = [], clock } = given;
    const file = await readFaultPlan(options.faultsPath);
    return {
      clock: file.clock ?? clock,
      incidents: [...(file.incidents ?? []), ...incidents],
      rules: [...file.rules, ...rules],
      defects: [...(file.defects ?? []), ...defects],
      phenomena: [...(file.phenomena ?? []), ...phenomena],
    };
  }

  /** Phenomena of one qubit. */
  function phenomenaOf(plan: Pick<FaultPlan, 'phenomena'>, chipId: string, qid: string): Phenomenon[] {
    return (plan.phenomena ?? []).filter(
      ({ chip_id = chipId, qids }) => chip_id === chipId && (qids === undefined || qids.includes(qid)),
    );
  }

  /** The device during one measurement, with its changes meanwhile. */
  function deviceIn(
    request: MeasureRequest,
    at: Date,
    plan: Omit<FaultPlan, 'rules'>,
  ): (qid: string) => TrueQubit {
    const isDrifting = (qid: string) =>
      phenomenaOf(plan, request.chip_id, qid).some(({ phenomenon }) => phenomenon === 'device_drift');
    const usual = deviceAt(request.chip_id, at, plan, (qid) => (isDrifting(qid) ? UNDRIFTED : at));
    if ((plan.phenomena ?? []).length === 0) return usual;
    const others = request.task_type === 'coupling' ? [] : request.targets;
    const intervalNs = numberOf(request.run_parameters.interval);
    return (qid) =>
      changedQubit(usual(qid), phenomenaOf(plan, request.chip_id, qid), {
        seed: seedOf(request.chip_id),
        qid,
        at,
        intervalNs,
        others: others.map((other) => ({ qid: other, qubit: usual(other) })),
      });
  }

  /** @param wavesAt the moment of the slow waves that every simulated qubit has */
  function deviceAt(
    chipId: string,
    at: Date,
    plan: Pick<FaultPlan, 'defects' | 'incidents'> = options.faults ?? {},
    wavesAt: (qid: string) => Date = () => at,
  ) {
    const ofChip = ({ chip_id = chipId }: { chip_id?: string | undefined }) => chip_id === chipId;
    const defects = (plan.defects ?? []).filter(ofChip);
    const incidents: Incident[] = (plan.incidents ?? []).filter(ofChip);
    return (qid: string) =>
      struckQubit(defectiveQubit(seedOf(chipId), qid, wavesAt(qid), defects), qid, at, incidents);
  }

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

  async function answer(
    request: MeasureRequest,
    control: MeasureControl,
    at: Date,
    { plan, fault }: { plan: FaultPlan; fault: FaultRule | undefined },
  ): Promise<unknown> {
    if (fault?.behaviour === 'oversize') return oversizeAnswer(request);
    if (fault?.behaviour === 'garbage') return garbageAnswer(request, seedOf(request.chip_id));
    const log = boxSetupSimulation(request.task_name)?.({
      targets: request.targets,
      run: request.run_parameters,
    });
    if (log !== undefined) return setupResult(request, at, log);
    const result: MeasureResult = { targets: {}, started_at: at.toISOString() };
    const shared = request.task_type === 'coupling' ? undefined : simulationOf(request).shared;
    const time = deviceTime(at, plan.clock);
    const device: DeviceInMeasurement = {
      qubitOf: deviceIn(request, time, plan),
      phenomenaOf: (qid) => phenomenaOf(plan, request.chip_id, qid),
      later: (qid, seconds) => deviceIn(request, new Date(time.getTime() + 1000 * seconds), plan)(qid),
    };
    const deliver = createDelivery(request, at, options.uploadUrl);
    const lines = new Map<string, TargetResult>();
    const lineOf = (qid: string) => (shared === 'mux' ? muxOf(qid).name : qid);
    for (const qid of request.targets) {
      const line = lineOf(qid);
      let delivered = fault?.behaviour === 'lie' ? undefined : lines.get(line);
      if (delivered === undefined) {
        const dataset = measureTarget(request, qid, device);
        if (fault?.behaviour === 'noise') drownInNoise(dataset, randomOf(request, qid, 'fault'));
        if (fault?.behaviour === 'nan') spoil(dataset);
        delivered =
          fault?.behaviour === 'lie'
            ? await falseOutputs(request, qid, dataset, fault.lie)
            : await deliver(
                { name: line, targets: request.targets.filter((other) => lineOf(other) === line) },
                dataset,
              );
        lines.set(line, delivered);
        // Yield, because the worker's workflows share this thread.
        await nextTurn();
        control.signal.throwIfAborted();
        if (fault?.behaviour !== 'disconnect') control.heartbeat();
      }
      result.targets[qid] = delivered;
    }
    return result;
  }

  async function measureNow(request: MeasureRequest, control: MeasureControl, at: Date): Promise<unknown> {
    const plan = await currentPlan();
    const fault = findFault(plan, request, seedOf(request.chip_id));
    await spendTime(fault, request, control, options.timeScale ?? 0);
    if (fault?.behaviour === 'error') {
      throw new Error(fault.message ?? 'The simulated instrument reports an error.');
    }
    return answer(request, control, at, { plan, fault });
  }

  async function measure(request: MeasureRequest, control: MeasureControl): Promise<unknown> {
    const at = now();
    control.signal.throwIfAborted();
    await writeJournal(options.journalPath, 'start', request, { at });
    try {
      const result = await measureNow(request, control, at);
      await control.keep?.({ result, failure: null });
      await writeJournal(options.journalPath, 'end', request, { at: now() });
      return result;
    } catch (error) {
      const event = control.signal.aborted ? 'abort' : 'end';
      const message = error instanceof Error ? error.message : String(error);
      if (event === 'end') await control.keep?.({ result: null, failure: message });
      await writeJournal(options.journalPath, event, request, { at: now(), error: message });
      throw error;
    }
  }

  return {
    measure,
    truth: (chipId, qid, at) => deviceAt(chipId, at)(qid),
    truthOf: (request, qid, at) =>
      fluctuating(request, qid, deviceIn(request, at, options.faults ?? {})(qid)),
    startValues: (chipId, qid, at) => startValues(seedOf(chipId), qid, at),
  };
}

/** Result of a task that measures nothing: no outputs for any target, and a log of what was done. */
function setupResult(request: MeasureRequest, at: Date, log: string): MeasureResult {
  return {
    targets: Object.fromEntries(request.targets.map((qid) => [qid, { outputs: {} }])),
    started_at: at.toISOString(),
    log,
  };
}

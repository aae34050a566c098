import { setImmediate as nextTurn } from 'node:timers/promises';
import { muxOf, type TrueQubit } from '../../../shared/science/device/device.ts';
import { randomFrom } from '../../../shared/science/device/random.ts';
import { boxSetupSimulation } from '../../../shared/tasks/simulations.ts';
import type { MeasureRequest, MeasureResult, TargetResult } from '../backend.ts';
import { createDelivery } from './delivery.ts';
import { drownInNoise, falseOutputs, garbageAnswer, oversizeAnswer, spoil } from './false-answers.ts';
import { type FaultPlan, type FaultRule, findFault, readFaultPlan } from './faults.ts';
import { writeJournal } from './journal.ts';
import { createSimulatedDatasets, simulationOf } from './simulated-datasets.ts';
import { createSimulatedDevice } from './simulated-device.ts';
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

  const { deviceAt, deviceIn, during } = createSimulatedDevice({ seedOf, faults: options.faults });
  const { fluctuating, measureTarget } = createSimulatedDatasets({ seedOf, randomOf });

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
    const device = during(request, at, plan);
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

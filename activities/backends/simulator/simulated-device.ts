import { defectiveQubit } from '../../../shared/science/device/defects.ts';
import type { TrueQubit } from '../../../shared/science/device/device.ts';
import { UNDRIFTED } from '../../../shared/science/device/device-drift.ts';
import { type Incident, struckQubit } from '../../../shared/science/device/incidents.ts';
import { changedQubit, type Phenomenon } from '../../../shared/science/device/phenomena.ts';
import { numberOf } from '../../../shared/tasks/common/parameters.ts';
import type { MeasureRequest } from '../backend.ts';
import { deviceTime, type FaultPlan } from './faults.ts';

/** The hidden device during one measurement, with the changes of its qubits meanwhile. */
export interface DeviceInMeasurement {
  qubitOf(qid: string): TrueQubit;
  phenomenaOf(qid: string): readonly Phenomenon[];
  /** A qubit, the given number of seconds after the start of the measurement. */
  later(qid: string, seconds: number): TrueQubit;
}

export interface DeviceOptions {
  /** The seed of a chip's device. */
  seedOf(chipId: string): string;
  /** Defects and incidents that `deviceAt` applies if it is called without a plan. */
  faults: FaultPlan | undefined;
}

/** The hidden device of each chip: true properties of its qubits, with drift, defects and incidents. */
export function createSimulatedDevice({ seedOf, faults }: DeviceOptions) {
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

  /**
   * The device at a time.
   * @param driftAt the time up to which the slow drift of a qubit has gone on; by default the same
   */
  function deviceAt(
    chipId: string,
    at: Date,
    plan: Pick<FaultPlan, 'defects' | 'incidents'> = faults ?? {},
    driftAt: (qid: string) => Date = () => at,
  ) {
    const ofChip = ({ chip_id = chipId }: { chip_id?: string | undefined }) => chip_id === chipId;
    const defects = (plan.defects ?? []).filter(ofChip);
    const incidents: Incident[] = (plan.incidents ?? []).filter(ofChip);
    return (qid: string) =>
      struckQubit(defectiveQubit(seedOf(chipId), qid, driftAt(qid), defects), qid, at, incidents);
  }

  /** The device during the measurement of a request that begins at a time. */
  function during(request: MeasureRequest, at: Date, plan: FaultPlan): DeviceInMeasurement {
    const time = deviceTime(at, plan.clock);
    return {
      qubitOf: deviceIn(request, time, plan),
      phenomenaOf: (qid) => phenomenaOf(plan, request.chip_id, qid),
      later: (qid, seconds) => deviceIn(request, new Date(time.getTime() + 1000 * seconds), plan)(qid),
    };
  }

  return { deviceAt, deviceIn, during };
}

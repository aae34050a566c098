import { muxOf, type TrueQubit, trueQubit } from '../../../shared/science/device/device.ts';
import { driftedQubit, UNDRIFTED } from '../../../shared/science/device/device-drift.ts';
import {
  type Incident,
  type IncidentKind,
  incident,
  struckQubit,
} from '../../../shared/science/device/incidents.ts';
import { randomFrom } from '../../../shared/science/device/random.ts';

export const HOUR_MS = 3_600_000;
export const START = Date.parse('2026-01-01T00:00:00Z');
/** Sudden faults in thirty days of 64 qubits. */
const FAULTS = 16;
/** Nothing breaks while the chip is calibrated for the first time. */
const QUIET_HOURS = 6;

/** A simulated chip over a number of days. */
export interface BenchChip {
  seed: string;
  qids: readonly string[];
  hours: number;
  /** Sudden faults that stay: a frequency that jumps, a drive that steps. */
  faults: readonly (Incident & { atHour: number })[];
  truth(qid: string, hour: number): TrueQubit;
  /** The same chip on which a fault never strikes. */
  without(fault: BenchChip['faults'][number]): BenchChip;
  mates(qid: string): readonly string[];
}

export function benchChip(seed: string, { qubits, days }: { qubits: number; days: number }): BenchChip {
  const qids = Array.from({ length: qubits }, (_, index) => String(index));
  const hours = 24 * days;
  const random = randomFrom(seed, 'faults');
  const count = Math.max(2, Math.round((FAULTS * qubits * days) / (64 * 30)));
  const faults = Array.from({ length: count }, (_, index) => {
    const atHour = random.between(QUIET_HOURS, hours - 1);
    return faultAt(atHour, {
      qid: String(Math.floor(random.between(0, qubits))),
      incident: index % 2 === 0 ? 'frequency_jump' : 'drive_step',
      size: random.uniform() < 0.5 ? 1 : -1,
    });
  });
  return chipWith({ seed, qids, hours, faults });
}

/** These qubits of a chip. What the others do changes nothing for them. */
export function chipOf(chip: BenchChip, qids: readonly string[]): BenchChip {
  const faults = chip.faults.filter((fault) => fault.qids.some((qid) => qids.includes(qid)));
  return chipWith({ seed: chip.seed, hours: chip.hours, qids, faults });
}

/** A drifting chip on which these faults strike. */
export function chipWith(of: Pick<BenchChip, 'seed' | 'qids' | 'hours' | 'faults'>): BenchChip {
  const { seed, faults } = of;
  return {
    ...of,
    truth(qid, hour) {
      const at = new Date(START + hour * HOUR_MS);
      const drifted = driftedQubit(trueQubit(seed, qid, UNDRIFTED), { seed, qid, at }, 1);
      return struckQubit(drifted, qid, at, faults);
    },
    without: (fault) => chipWith({ ...of, faults: faults.filter((each) => each !== fault) }),
    mates: (qid) => muxOf(qid).qids,
  };
}

/** A fault of one qubit that stays. */
export function faultAt(
  atHour: number,
  { qid, incident: kind, size }: { qid: string; incident: IncidentKind; size: number },
): BenchChip['faults'][number] {
  const from = new Date(START + atHour * HOUR_MS).toISOString();
  return { ...incident.parse({ qids: [qid], incident: kind, from, size }), atHour };
}

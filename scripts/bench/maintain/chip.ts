import { muxOf, type TrueQubit, trueQubit } from '../../../shared/science/device/device.ts';
import { driftedQubit, UNDRIFTED } from '../../../shared/science/device/device-drift.ts';
import { type Incident, incident, struckQubit } from '../../../shared/science/device/incidents.ts';
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
  mates(qid: string): readonly string[];
}

export function benchChip(seed: string, { qubits, days }: { qubits: number; days: number }): BenchChip {
  const qids = Array.from({ length: qubits }, (_, index) => String(index));
  const hours = 24 * days;
  const random = randomFrom(seed, 'faults');
  const count = Math.max(2, Math.round((FAULTS * qubits * days) / (64 * 30)));
  const faults = Array.from({ length: count }, (_, index) => {
    const atHour = random.between(QUIET_HOURS, hours - 1);
    const given = incident.parse({
      qids: [String(Math.floor(random.between(0, qubits)))],
      incident: index % 2 === 0 ? 'frequency_jump' : 'drive_step',
      from: new Date(START + atHour * HOUR_MS).toISOString(),
      size: random.uniform() < 0.5 ? 1 : -1,
    });
    return { ...given, atHour };
  });
  return {
    ...{ seed, qids, hours, faults },
    truth(qid, hour) {
      const at = new Date(START + hour * HOUR_MS);
      const drifted = driftedQubit(trueQubit(seed, qid, UNDRIFTED), { seed, qid, at }, 1);
      return struckQubit(drifted, qid, at, faults);
    },
    mates: (qid) => muxOf(qid).qids,
  };
}

import { z } from 'zod';
import { muxOf, type TrueQubit } from './device.ts';
import { withFrequency, withT1 } from './device-drift.ts';

/** What happens to a device at one moment. docs/simulator.md says why. */
export const incidentKind = z.enum(['frequency_jump', 'relaxation_drop', 'drive_step', 'amplifier_failure']);
export type IncidentKind = z.infer<typeof incidentKind>;

/** An incident from a moment on, until it is repaired or passes. */
export const incident = z.strictObject({
  chip_id: z.string().optional(),
  qids: z.array(z.string()).min(1),
  incident: incidentKind,
  from: z.iso.datetime(),
  until: z.iso.datetime().optional(),
  /** How much stronger than usual; a negative size turns the direction round. */
  size: z.number().default(1),
});
export type Incident = z.infer<typeof incident>;

/** At size 1. */
const FREQUENCY_JUMP_GHZ = 1e-3;
const RELAXATION_FACTOR = 0.2;
const DRIVE_STEP = 0.1;
/** The next amplifier, a transistor, adds about 20 photons of noise where a parametric one adds one half and the vacuum another. */
const AMPLIFIER_NOISE = Math.sqrt(20);

const changes: Record<IncidentKind, (qubit: TrueQubit, size: number) => TrueQubit> = {
  frequency_jump: (qubit, size) => withFrequency(qubit, FREQUENCY_JUMP_GHZ * size),
  relaxation_drop: (qubit, size) => withT1(qubit, qubit.t1 * RELAXATION_FACTOR ** Math.abs(size)),
  drive_step: (qubit, size) => ({
    ...qubit,
    maximumRabiFrequency: qubit.maximumRabiFrequency * Math.exp(DRIVE_STEP * size),
  }),
  amplifier_failure: (qubit, size) => {
    const factor = AMPLIFIER_NOISE ** Math.abs(size);
    return { ...qubit, noise: qubit.noise * factor, lineNoise: qubit.lineNoise * factor };
  },
};

/** Whether an incident acts on a qubit at a moment. An amplifier belongs to a readout line with all its qubits. */
function actsOn({ qids, incident: kind, from, until }: Incident, qid: string, at: Date): boolean {
  if (at < new Date(from) || (until !== undefined && at >= new Date(until))) return false;
  const affected = kind === 'amplifier_failure' ? muxOf(qid).qids : [qid];
  return affected.some((each) => qids.includes(each));
}

/** The qubit with the incidents that act on it at a moment. */
export function struckQubit(
  qubit: TrueQubit,
  qid: string,
  at: Date,
  incidents: readonly Incident[],
): TrueQubit {
  return incidents
    .filter((each) => actsOn(each, qid, at))
    .reduce((struck, { incident: kind, size }) => changes[kind](struck, size), qubit);
}

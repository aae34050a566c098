import { z } from 'zod';
import { muxOf, type TrueQubit } from './device.ts';
import { withFrequency, withT1 } from './device-drift.ts';

/** Kinds of sudden changes of a device. docs/simulator.md gives their physical reasons. */
export const incidentKind = z.enum(['frequency_jump', 'relaxation_drop', 'drive_step', 'amplifier_failure']);
export type IncidentKind = z.infer<typeof incidentKind>;

/** An incident that starts at a given time and lasts until it is repaired or passes. */
export const incident = z.strictObject({
  chip_id: z.string().optional(),
  qids: z.array(z.string()).min(1),
  incident: incidentKind,
  from: z.iso.datetime(),
  until: z.iso.datetime().optional(),
  /** Factor on the usual strength. A negative size reverses the direction. */
  size: z.number().default(1),
});
export type Incident = z.infer<typeof incident>;

/** Changes at size 1. */
const FREQUENCY_JUMP_GHZ = 1e-3;
const RELAXATION_FACTOR = 0.2;
const DRIVE_STEP = 0.1;
/**
 * Without the parametric amplifier, the next amplifier (a transistor) determines the noise: about 20 photons instead of
 * one, of which half is added by a parametric amplifier and half by the vacuum.
 */
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

/** Whether an incident acts on a qubit at a given time. A failed amplifier affects all qubits of its readout line. */
function actsOn({ qids, incident: kind, from, until }: Incident, qid: string, at: Date): boolean {
  if (at < new Date(from) || (until !== undefined && at >= new Date(until))) return false;
  const affected = kind === 'amplifier_failure' ? muxOf(qid).qids : [qid];
  return affected.some((each) => qids.includes(each));
}

/** The qubit with the incidents that act on it at a given time. */
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

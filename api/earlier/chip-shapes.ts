import { z } from 'zod';
import { type ChipDocument, type TargetDocument, targetStatus } from '../../shared/domain/chips/model.ts';
import { storedParameter } from '../../shared/domain/results/model.ts';
import { parametersOf } from '../../shared/domain/results/wire.ts';
import { isoTime } from '../../shared/kernel/time.ts';
import { timestamp } from '../../shared/kernel/wire.ts';
import type { Topology } from '../../shared/science/topology/model.ts';

/** Distance between neighbouring qubits in the clients' drawing of a chip. */
const PITCH = 50;
/** Line width of a coupling in that drawing. */
const LINE_WIDTH = 4;

const target = z.object({
  username: z.string(),
  qid: z.string(),
  status: targetStatus,
  chip_id: z.string(),
  data: z.record(z.string(), storedParameter),
  best_data: z.record(z.string(), storedParameter).describe('Empty: best values are not kept.'),
});
const qubit = target.extend({
  node_info: z.object({ position: z.object({ x: z.number(), y: z.number() }) }),
});
const coupling = target.extend({
  edge_info: z.object({
    source: z.string(),
    target: z.string(),
    size: z.number().int(),
    fill: z.string(),
  }),
});

/** A chip with all its qubits and couplings, as the earlier interface shows it. */
export const wholeChip = z
  .object({
    chip_id: z.string(),
    size: z.number().int(),
    qubits: z.record(z.string(), qubit),
    couplings: z.record(z.string(), coupling),
    installed_at: timestamp,
  })
  .meta({ id: 'WholeChip' });
export type WholeChip = z.infer<typeof wholeChip>;

/** Assembles a chip. Without a topology the positions are unknown, so all qubits are placed at the origin. */
export function wholeChipOf(
  chip: Pick<ChipDocument, 'chip_id' | 'size' | 'installed_at'>,
  parts: { qubits: readonly TargetDocument[]; couplings: readonly TargetDocument[] },
  topology: Topology | null,
): WholeChip {
  const { chip_id, size, installed_at } = chip;
  const qubits = parts.qubits.map((stored) => {
    const { row, col } = topology?.qubits[stored.qid] ?? { row: 0, col: 0 };
    return [
      stored.qid,
      { ...targetOf(stored), node_info: { position: { x: col * PITCH, y: -row * PITCH || 0 } } },
    ] as const;
  });
  const couplings = parts.couplings.map((stored) => {
    const [source = '', target = ''] = stored.qid.split('-');
    return [
      stored.qid,
      { ...targetOf(stored), edge_info: { source, target, size: LINE_WIDTH, fill: '' } },
    ] as const;
  });
  return {
    chip_id,
    size,
    qubits: Object.fromEntries(qubits),
    couplings: Object.fromEntries(couplings),
    installed_at: isoTime(installed_at),
  };
}

function targetOf({ username, qid, status, chip_id, data }: TargetDocument) {
  return { username, qid, status, chip_id, data: parametersOf(data), best_data: {} };
}

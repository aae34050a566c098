import { describe, expect, test } from 'vitest';
import type { QubitScheduleCommand } from '../../../../shared/domain/flows/model.ts';
import {
  pairScheduleAnswer,
  qubitScheduleAnswer,
  type ScheduledChip,
} from '../../../../shared/domain/flows/schedule-rules.ts';
import { squareChip } from '../../../support/scheduled-chips.ts';

/** Four qubits in a row in one multiplexer, and two more in another. */
const chip: ScheduledChip = {
  couplings: ['0-1', '1-0', '1-2', '2-1', '2-3', '3-2'],
  muxes: { 0: ['0', '1', '2', '3'], 1: ['4', '5'] },
  topology: null,
  wiring: null,
};
/** The schedule of qubits of the chip. */
const qubits = (qids: string[], changes: Partial<QubitScheduleCommand> = {}, of = chip) =>
  qubitScheduleAnswer({ kind: 'qubit_schedule', qids, mode: 'scheduled', ...changes }, of);
const pairs = { kind: 'pair_schedule', max_parallel_ops: 10, inverse: false } as const;

describe('the order of the qubits of a stage', () => {
  test('has each multiplexer measure one qubit at a time, and names what cannot be scheduled', () => {
    expect(qubits(['0', '1', '4', '9'])).toEqual({
      kind: 'qubit_schedule',
      schedule: [[['0', '1'], ['4']]],
      excluded: [{ target: '9', reason: 'Qubit 9 belongs to no multiplexer of the chip.' }],
      notes: ['The chip has no wiring.yaml, so every MUX counts as independent of the others.'],
    });
  });

  test('follows the mode of the command', () => {
    const qids = ['0', '1', '4'];
    expect(qubits(qids, { mode: 'serial' }).schedule).not.toEqual(qubits(qids).schedule);
  });

  test('of a checkerboard has all of them on the grid of the topology', () => {
    const { topology } = squareChip(4);
    const checkerboard = { mode: 'synchronized', ordering: 'checkerboard' } as const;
    const { schedule } = qubits(['0', '1', '2', '3'], checkerboard, { ...chip, topology });
    expect(schedule.flat(2).sort()).toEqual(['0', '1', '2', '3']);
  });
});

describe('the order of the pairs of a stage', () => {
  const frequencies = { 0: 5, 1: 5.1, 2: 5.2, 3: null };

  test('has pairs between candidates only, from the lower frequency to the higher', () => {
    const answer = pairScheduleAnswer({ ...pairs, candidates: ['0', '1', '2'] }, chip, frequencies);
    expect(answer).toMatchObject({ kind: 'pair_schedule', direction_method: 'measured', excluded_count: 0 });
    expect(answer.schedule.flat(2).sort()).toEqual(['0-1', '1-2']);
    expect(answer.notes).toEqual([
      'The chip has no wiring.yaml, so every MUX counts as independent of the others.',
    ]);
  });

  test('names pairs of candidates that it leaves out, and no others', () => {
    const { excluded, excluded_count } = pairScheduleAnswer(
      { ...pairs, candidates: ['1', '2', '3'] },
      chip,
      frequencies,
    );
    expect(excluded_count).toBe(1);
    expect(excluded).toEqual([
      {
        target: '2-3',
        reason: 'Qubit 3 has no measured frequency, so the direction of this pair is unknown.',
      },
    ]);
  });

  test('is empty, with a note, if no two candidates are coupled', () => {
    expect(pairScheduleAnswer({ ...pairs, candidates: ['0', '3'] }, chip, frequencies)).toEqual({
      kind: 'pair_schedule',
      schedule: [],
      direction_method: 'none',
      excluded: [],
      excluded_count: 0,
      notes: ['No two of the candidates are coupled.'],
    });
    expect(pairScheduleAnswer({ ...pairs, candidates: [] }, chip, frequencies).schedule).toEqual([]);
  });

  test('takes the direction from a topology that prescribes it, and otherwise only the places', () => {
    const { topology: generated } = squareChip(4);
    const [first] = generated.couplings;
    if (!first) throw new Error('The topology has no coupling.');
    const [control, target] = first.map(String);
    const wanted = { ...pairs, candidates: [control ?? '', target ?? ''] };
    const coupled = { ...chip, couplings: [`${control}-${target}`, `${target}-${control}`] };
    // Against the direction that the frequencies give.
    const against = { [control ?? '']: 6, [target ?? '']: 5 };
    const prescribed = { ...generated, direction_convention: 'checkerboard_cr' as const };
    const free = { ...generated, direction_convention: 'unspecified' as const };
    expect(pairScheduleAnswer(wanted, { ...coupled, topology: prescribed }, against)).toMatchObject({
      direction_method: 'design',
      schedule: [[[`${control}-${target}`]]],
    });
    expect(pairScheduleAnswer(wanted, { ...coupled, topology: free }, against)).toMatchObject({
      direction_method: 'measured',
      schedule: [[[`${target}-${control}`]]],
    });
    expect(pairScheduleAnswer(wanted, { ...coupled, topology: free }, {}).direction_method).toBe('parity');
  });

  test('names at most fifty of the pairs that it leaves out, and counts all', () => {
    const qids = Array.from({ length: 62 }, (_, index) => String(index));
    const couplings = qids.slice(1).flatMap((qid, index) => [`${index}-${qid}`, `${qid}-${index}`]);
    const large = { ...chip, couplings, muxes: { 0: qids } };
    // Only the first two have a frequency, so that one of 61 pairs has a direction.
    const answer = pairScheduleAnswer({ ...pairs, candidates: qids }, large, { 0: 5, 1: 5.1 });
    expect(answer.excluded_count).toBe(60);
    expect(answer.excluded).toHaveLength(50);
  });
});

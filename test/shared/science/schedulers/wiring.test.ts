import { describe, expect, test } from 'vitest';
import { SchedulingError } from '../../../../shared/science/schedulers/model.ts';
import { boxTypeOf, muxConflicts, parseWiring } from '../../../../shared/science/schedulers/wiring.ts';
import { entry } from '../../../support/scheduled-chips.ts';

const zero = `{mux: 0, ctrl: [R21B-5, S2A-6], read_out: S2A-1, read_in: S2A-0, pump: P1-2}`;

/** Lists of lists of aliases: a few lines that expand to thousands of entries. */
const aliasBomb = [
  'a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]',
  'b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]',
  'c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]',
  'd: [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]',
].join('\n');

describe('the wiring file', () => {
  test('is read under the id of the chip, without those of other chips', () => {
    expect(parseWiring(`CHIP:\n  - ${zero}\nOTHER:\n  - {mux: 7}\n`, 'CHIP')).toEqual({
      0: entry(0, { ctrl: ['R21B-5', 'S2A-6'], read_out: 'S2A-1', read_in: 'S2A-0', pump: 'P1-2' }),
    });
  });

  test('is read from groups of any name, all together', () => {
    expect(Object.keys(parseWiring('left:\n  - {mux: 1}\nright:\n  - {mux: 0}\n', 'CHIP'))).toEqual([
      '0',
      '1',
    ]);
  });

  test.each([
    ['a: [', /line 1: /],
    ['just text', /is not "CHIP: \[entries\]"/],
    ['CHIP: 5', /is not "CHIP: \[entries\]"/],
    ['', /is not "CHIP: \[entries\]"/],
    ['CHIP: [{ctrl: [A-1]}]', /entry 1 of CHIP, mux: mux is the number of a multiplexer/],
    ['CHIP: [{mux: 1.5}]', /entry 1 of CHIP, mux: mux is a whole number/],
    ['CHIP: [{mux: 1, ctrl: A-1}]', /entry 1 of CHIP, ctrl: /],
    ['CHIP: [{mux: 1, read_out: R21B}]', /entry 1 of CHIP, read_out: a port is written MODULE-number/],
    ['CHIP: [{mux: 1}, {mux: 1}]', /entry 2 of CHIP: MUX 1 has an entry already/],
    [aliasBomb, /alias/],
    ['CHIP: [{mux: 9}]', /entry 1 of CHIP: the chip has no MUX 9/],
  ])('is refused with the position of the mistake: %s', (text, message) => {
    expect(() => parseWiring(text, 'CHIP', ['0', '1'])).toThrow(SchedulingError);
    expect(() => parseWiring(text, 'CHIP', ['0', '1'])).toThrow(message);
  });

  test('is read for a chip with the name of a built-in property', () => {
    expect(Object.keys(parseWiring('left: [{mux: 1}]', 'constructor'))).toEqual(['1']);
  });

  test('is refused with all mistakes at once', () => {
    expect(() => parseWiring('CHIP: [{mux: x}, {mux: 1, pump: p}]', 'CHIP')).toThrow(/entry 1.*entry 2/);
  });
});

describe('multiplexers', () => {
  const wiring = {
    0: entry(0, { ctrl: ['R1A-1'], read_out: 'R1A-2' }),
    1: entry(1, { ctrl: ['R2B-1'], read_out: 'R2B-2' }),
    2: entry(2, { ctrl: ['R3A-1'], read_out: 'R2B-3' }),
    3: entry(3, {}),
    4: entry(4, { ctrl: ['R4A-1'], pump: 'PUMP-1' }),
    5: entry(5, { ctrl: ['R5A-1'], pump: 'PUMP-2' }),
    6: entry(6, { ctrl: ['R6A-1'], read_in: 'R5A-0' }),
  };

  test.each([
    ['0', 'A'],
    ['1', 'B'],
    ['2', 'MIXED'],
    ['3', 'MIXED'],
    ['4', 'A'],
    ['99', 'MIXED'],
  ])('MUX %s has box type %s', (mux, type) => {
    expect(boxTypeOf(wiring, mux)).toBe(type);
  });

  test.each([
    ['1', '2', 'MUX 1 for control and readout and MUX 2 for readout use the module R2B.'],
    ['4', '5', 'MUX 4 for pump and MUX 5 for pump use the module PUMP.'],
    ['5', '6', 'MUX 5 for control and MUX 6 for read-in use the module R5A.'],
  ])('%s and %s conflict, whatever the purpose of the shared module', (one, other, message) => {
    expect(muxConflicts(wiring)(one, other)).toBe(message);
    expect(muxConflicts(wiring)(other, one)).not.toBeNull();
  });

  test('without a common module, or without wiring, do not conflict', () => {
    expect(muxConflicts(wiring)('0', '1')).toBeNull();
    expect(muxConflicts(null)('0', '1')).toBeNull();
  });
});

import { describe, expect, test } from 'vitest';
import { converted, unitConversion } from '../../../../shared/science/conventions/unit-table.ts';

function convert(value: number, given: string, wanted: string): number | string {
  const conversion = unitConversion(given, wanted);
  return 'factor' in conversion ? converted(value, conversion.factor) : conversion.problem;
}

describe('a stated unit', () => {
  test.each([
    'us',
    'µs',
    'μs',
    'microsecond',
    'Microseconds',
    'usec',
    ' us ',
    '$\\mu$s',
    '$\\mathrm{\\mu s}$',
  ])('is the same microsecond as %s', (spelling) => {
    expect(convert(50, spelling, 'us')).toBe(50);
    expect(convert(50, spelling, 'ns')).toBe(50_000);
  });

  test.each([
    [50_000, 'ns', 'us', 50],
    [5e-5, 's', 'us', 50],
    [0.05, 'ms', 'us', 50],
    [4512.3, 'MHz', 'GHz', 4.5123],
    [4.5123e9, 'Hz', 'GHz', 4.5123],
    [-300, 'MHz', 'GHz', -0.3],
    [30, 'mK', 'mK', 30],
    [0.03, 'K', 'mK', 30],
    [99.5, '%', '', 0.995],
    [0.12, '', 'a.u.', 0.12],
    [0.12, 'arb. units', 'a.u.', 0.12],
    [180, 'deg', 'rad', Math.PI],
    [1.5, '1', 'rad', 1.5],
    [0.25, 'GHz/a.u.', 'MHz/a.u.', 250],
  ])('converts %s %s to %s', (value, given, wanted, expected) => {
    expect(convert(value, given, wanted)).toBeCloseTo(Number(expected), 12);
  });

  test('shifts the decimal point without adding digits', () => {
    expect(convert(4512.3, 'MHz', 'GHz')).toBe(4.5123);
    expect(convert(0.07, 'ms', 'ns')).toBe(70_000);
  });

  test.each([
    ['bananas', 'us'],
    ['GHz', 'us'],
    ['mS', 'us'],
    ['mhz', 'GHz'],
    ['dBm', 'dB'],
    ['V', 'a.u.'],
    ['rad/s', 'GHz'],
    ['°C', 'mK'],
    ['us', ''],
  ])('in %s is refused where %s is expected, naming both', (given, wanted) => {
    const said = convert(1, given, wanted);
    expect(said).toEqual(expect.stringContaining(JSON.stringify(given)));
    expect(said).toEqual(expect.stringContaining(wanted === '' ? 'no unit' : JSON.stringify(wanted)));
  });
});

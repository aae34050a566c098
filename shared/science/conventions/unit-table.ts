/**
 * The accepted units of received numbers, and their conversion. A unit is a scale times a quantity. Units of the same
 * quantity can be converted; all others are refused.
 */

/** A parsed unit: the quantity that it measures, and its size in base units. */
interface Unit {
  quantity: string;
  scale: number;
}

/** Symbols of base units. Symbols are case-sensitive, as in UCUM: `ms` is a time and `mS` is not. */
const baseSymbols = {
  s: { quantity: 'time', scale: 1 },
  Hz: { quantity: 'frequency', scale: 1 },
  V: { quantity: 'voltage', scale: 1 },
  A: { quantity: 'current', scale: 1 },
  W: { quantity: 'power', scale: 1 },
  T: { quantity: 'magnetic field', scale: 1 },
  K: { quantity: 'temperature', scale: 1 },
  rad: { quantity: 'angle', scale: 1 },
  Ω: { quantity: 'resistance', scale: 1 },
} as const satisfies Readonly<Record<string, Unit>>;
const symbols: Readonly<Record<string, Unit>> = baseSymbols;

/** Units that take no prefix, in the spellings of UCUM, of Python's unit libraries and of axis labels. */
const whole: ReadonlyMap<string, Unit> = new Map(
  (
    [
      [['min', 'minute', 'minutes'], 'time', 60],
      [['h', 'hr', 'hour', 'hours'], 'time', 3600],
      [['d', 'day', 'days'], 'time', 86_400],
      [['deg', 'degree', 'degrees', '°'], 'angle', Math.PI / 180],
      [['turn', 'turns', 'rev'], 'angle', 2 * Math.PI],
      [['dB', 'dBFS', 'decibel', 'decibels'], 'level', 1],
      [['dBm'], 'level against 1 mW', 1],
      [['%', 'percent'], 'number', 0.01],
      [['ppm'], 'number', 1e-6],
      [['hz', 'HZ'], 'frequency', 1],
      [['khz', 'KHz', 'KHZ'], 'frequency', 1e3],
      [['MHZ'], 'frequency', 1e6],
      [['ghz', 'Ghz', 'GHZ'], 'frequency', 1e9],
      [['1/s', 's-1', 's^-1', 's⁻¹'], 'frequency', 1],
      [['°C', 'Cel', 'celsius'], 'temperature in degrees Celsius', 1],
      [['rad/s'], 'angular frequency', 1],
      [
        [
          '1',
          'a.u.',
          'a.u',
          'au',
          'arb',
          'arb.',
          'arb.u.',
          'arb.unit',
          'arb.units',
          'arbitrary',
          'arbitraryunit',
          'arbitraryunits',
          'dimensionless',
          'none',
          'unitless',
          'count',
          'counts',
          '#',
          'FS',
        ],
        'number',
        1,
      ],
    ] as const
  ).flatMap(([spellings, quantity, scale]) =>
    spellings.map((spelling) => [spelling, { quantity, scale }] as const),
  ),
);

/** Prefixes of symbols. */
const prefixLetters = {
  f: 1e-15,
  p: 1e-12,
  n: 1e-9,
  u: 1e-6,
  μ: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
} as const;
const prefixes: Readonly<Record<string, number>> = prefixLetters;

/** A unit with a symbol, such as `GHz`. */
type SymbolUnit = `${'' | keyof typeof prefixLetters}${keyof typeof baseSymbols}`;
const wordUnits = [
  '',
  'a.u.',
  '%',
  'ppm',
  'dB',
  'dBm',
  'degree',
  'turn',
  'min',
  'h',
  'd',
  '°C',
  'rad/s',
] as const;
/**
 * A unit of the task catalog, in its only spelling, so that the compiler refuses a unit that cannot be converted. Plain
 * numbers have the unit `''`.
 */
export type CatalogUnit = SymbolUnit | `${SymbolUnit}/${SymbolUnit | 'a.u.'}` | (typeof wordUnits)[number];

/** Prefixes and unit names that are written out, in upper or lower case. */
const longPrefixes: Readonly<Record<string, number>> = {
  femto: 1e-15,
  pico: 1e-12,
  nano: 1e-9,
  micro: 1e-6,
  milli: 1e-3,
  kilo: 1e3,
  mega: 1e6,
  giga: 1e9,
  tera: 1e12,
};
const longNames: Readonly<Record<string, string>> = {
  second: 's',
  seconds: 's',
  sec: 's',
  secs: 's',
  hertz: 'Hz',
  volt: 'V',
  volts: 'V',
  ampere: 'A',
  amperes: 'A',
  watt: 'W',
  watts: 'W',
  tesla: 'T',
  kelvin: 'K',
  radian: 'rad',
  radians: 'rad',
  ohm: 'Ω',
  ohms: 'Ω',
};
/** Short prefixes before a unit name that is written out: `usec`, `nsec`, `msec`. */
const shortened = /^([nuμmp])(secs?)$/;

/**
 * Normalizes a spelling: removes spaces and TeX markup, and unifies variants of letters (the micro sign and µ, the ohm
 * sign and Ω).
 */
function plain(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/\\(?:mathrm|text|rm)\b/g, '')
    .replace(/\\mu\b\s*/g, 'μ')
    .replace(/[\s${}[\]\\]/g, '');
}

function simple(text: string): Unit | null {
  const known = whole.get(text) ?? whole.get(text.toLowerCase());
  if (known) return known;
  const symbol = Object.hasOwn(symbols, text) ? symbols[text] : undefined;
  if (symbol) return symbol;
  return prefixed(text) ?? writtenOut(text);
}

function prefixed(text: string): Unit | null {
  const [first = '', rest] = [text.slice(0, 1), text.slice(1)];
  const factor = Object.hasOwn(prefixes, first) ? prefixes[first] : undefined;
  const base = Object.hasOwn(symbols, rest) ? symbols[rest] : undefined;
  return factor !== undefined && base ? { ...base, scale: factor * base.scale } : null;
}

function writtenOut(text: string): Unit | null {
  const [, short = '', sec] = shortened.exec(text) ?? [];
  if (sec !== undefined) return { quantity: 'time', scale: prefixes[short] ?? Number.NaN };
  const word = text.toLowerCase();
  const prefix = Object.keys(longPrefixes).find((each) => word.startsWith(each)) ?? '';
  const name = word.slice(prefix.length);
  const symbol = Object.hasOwn(longNames, name) ? symbols[longNames[name] ?? ''] : undefined;
  return symbol ? { ...symbol, scale: (longPrefixes[prefix] ?? 1) * symbol.scale } : null;
}

/** Parses a unit or a quotient of two units, such as `MHz/a.u.`; null if it is unknown. */
function unitOf(text: string): Unit | null {
  const spelling = plain(text);
  if (spelling === '') return { quantity: 'number', scale: 1 };
  const alone = simple(spelling);
  if (alone) return alone;
  const [above, below, ...more] = spelling.split('/');
  if (above === undefined || below === undefined || more.length > 0) return null;
  const [numerator, denominator] = [simple(above), simple(below)];
  if (!numerator || !denominator) return null;
  return {
    quantity:
      denominator.quantity === 'number'
        ? numerator.quantity
        : `${numerator.quantity} per ${denominator.quantity}`,
    scale: numerator.scale / denominator.scale,
  };
}

/**
 * The factor by which numbers are multiplied, or the reason why a unit cannot be converted, as the end of a sentence.
 */
export type UnitConversion = { factor: number } | { problem: string };

/**
 * Converts numbers in `given` to numbers in `wanted`. An empty unit counts as not stated, and its numbers as already in
 * `wanted`.
 * @param given a unit in any spelling: `us`, `µs`, `μs` and `microseconds` are the same
 * @param wanted the unit of the catalog
 * @returns the factor, which is exact if the units differ by a power of ten; or the reason why there is none, with both
 * units
 */
export function unitConversion(given: string, wanted: string): UnitConversion {
  if (plain(given) === '' || plain(given) === plain(wanted)) return { factor: 1 };
  const [from, to] = [unitOf(given), unitOf(wanted)];
  const named = `the unit ${JSON.stringify(given.slice(0, 40))}`;
  const expected = wanted === '' ? 'no unit' : JSON.stringify(wanted);
  if (!from) return { problem: `${named} is unknown; ${expected} is expected` };
  // Many instruments report angles without a unit; these are radians.
  if (to?.quantity === 'angle' && from.quantity === 'number' && from.scale === 1) {
    return { factor: clean(1 / to.scale) };
  }
  if (!to || from.quantity !== to.quantity) {
    return { problem: `${named} (${from.quantity}) cannot be converted; ${expected} is expected` };
  }
  return { factor: clean(from.scale / to.scale) };
}

/** Whether two spellings mean units of one quantity, both stated and known. */
export function isSameQuantity(a: string, b: string): boolean {
  const [first, second] = [unitOf(a), unitOf(b)];
  return first !== null && second !== null && first.quantity === second.quantity;
}

/** A quotient of powers of ten without floating-point error. */
function clean(factor: number): number {
  const power = 10 ** Math.round(Math.log10(factor));
  return Math.abs(factor / power - 1) < 1e-12 ? Number(`1e${Math.round(Math.log10(factor))}`) : factor;
}

/** A number times a factor of {@link unitConversion}. A shift of the decimal point adds no floating-point error. */
export function converted(value: number, factor: number): number {
  if (factor === 1) return value;
  const exponent = Math.round(Math.log10(factor));
  if (factor !== Number(`1e${exponent}`) || !Number.isFinite(value)) return value * factor;
  const [digits = '0', own = '0'] = value.toExponential().split('e');
  return Number(`${digits}e${Number(own) + exponent}`);
}

/** Whether a text is a unit in the spelling of the catalog. */
export function isCatalogUnit(text: string): text is CatalogUnit {
  if (wordUnits.some((each) => each === text) || isSymbolUnit(text)) return true;
  const [above = '', below = '', ...more] = text.split('/');
  return more.length === 0 && isSymbolUnit(above) && (below === 'a.u.' || isSymbolUnit(below));
}

function isSymbolUnit(text: string): boolean {
  return Object.hasOwn(symbols, text) || prefixed(text) !== null;
}

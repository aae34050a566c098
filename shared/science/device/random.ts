import { createHash } from 'node:crypto';

/** A source of random numbers that always gives the same sequence for the same key. */
export interface Random {
  /** Uniform in [0, 1). */
  uniform(): number;
  /** Uniform between two bounds. */
  between(minimum: number, maximum: number): number;
  /** Standard normal. */
  normal(): number;
}

/**
 * The generator sfc32 of Chris Doty-Humphrey's PractRand (public domain), seeded with 96 bits of the SHA-256 of the
 * key. Its first twelve numbers are discarded, as in PractRand.
 */
export function randomFrom(...key: readonly (string | number)[]): Random {
  // The length of each part makes ('ab', 'c') different from ('a', 'bc').
  const text = key.map((part) => `${String(part).length}:${part}`).join('|');
  const digest = createHash('sha256').update(text).digest();
  let a = digest.readInt32LE(0);
  let b = digest.readInt32LE(4);
  let c = digest.readInt32LE(8);
  let counter = 1;
  const next = () => {
    const result = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + result;
    c |= 0;
    return result >>> 0;
  };
  for (let discarded = 0; discarded < 12; discarded++) next();
  const uniform = () => next() / 2 ** 32;
  return {
    uniform,
    between: (minimum, maximum) => minimum + (maximum - minimum) * uniform(),
    // Box–Muller transform. 1 − u keeps the argument of the logarithm above zero.
    normal: () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform()),
  };
}

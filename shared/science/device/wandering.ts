/** Random functions of time. Each can be evaluated at any time at the same cost, without its earlier values. */
import { randomFrom } from './random.ts';

/** Identifies one random function (course): each seed, qubit and quantity has a different one. */
export interface Course {
  seed: string;
  /** A qubit, or a line that several qubits share. */
  of: string;
  quantity: string;
}

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

/**
 * Draws a course's numbers without a cryptographic hash for each, which would take a millisecond for each qubit and
 * time.
 */
function drawsOf({ seed, of, quantity }: Course) {
  const key = Math.floor(randomFrom(seed, of, quantity, 'course').uniform() * 2 ** 32);
  /** A number in [0, 1) for a time scale and an index on it. */
  const uniform = (...place: readonly number[]) => place.reduce(mixed, key) / 2 ** 32;
  return {
    uniform,
    /** Standard normal, by Box and Muller. */
    normal(...place: readonly number[]): number {
      const radius = Math.sqrt(-2 * Math.log(1 - uniform(...place, 1)));
      return radius * Math.cos(2 * Math.PI * uniform(...place, 2));
    },
  };
}

/** Mixes a number into 32 bits, with the finalizer of MurmurHash3 (public domain) after each half of it. */
function mixed(key: number, value: number): number {
  return finalized(finalized(key ^ (value >>> 0)) ^ (Math.floor(value / 2 ** 32) + 0x9e3779b9));
}

function finalized(bits: number): number {
  const first = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2ae35);
  return (second ^ (second >>> 16)) >>> 0;
}

/**
 * Noise of variance one whose power spectrum goes as 1/f^slope between the longest and the shortest dwell time. A slope
 * of 1 is the noise of many fluctuators together, a slope of 2 a random walk that returns, such as an
 * Ornstein-Uhlenbeck process. It is a sum of continuous noises, each correlated over its dwell time.
 */
export function wandering(
  course: Course,
  at: Date,
  { longestMs, shortestMs, slope }: { longestMs: number; shortestMs: number; slope: 1 | 2 },
): number {
  const draws = drawsOf(course);
  let [sum, power] = [0, 0];
  for (let dwell = longestMs; dwell >= shortestMs; dwell /= 4) {
    const scale = Math.round(dwell);
    const position = at.getTime() / dwell + draws.uniform(scale, 0, 3);
    const place = Math.floor(position);
    const part = position - place;
    const between = (1 - part) * draws.normal(scale, place) + part * draws.normal(scale, place + 1);
    const weight = (dwell / longestMs) ** (slope - 1);
    sum += (Math.sqrt(weight) * between) / Math.hypot(1 - part, part);
    power += weight;
  }
  return sum / Math.sqrt(power);
}

/** A level of variance one that jumps to another level at random times, on average every `dwellMs`. */
export function jumping(course: Course, at: Date, dwellMs: number): number {
  const draws = drawsOf(course);
  const place = Math.floor(at.getTime() / dwellMs);
  const moment = place + draws.uniform(0, place, 3);
  return draws.normal(0, moment * dwellMs <= at.getTime() ? place : place - 1);
}

import type { Lines } from './lines.ts';

interface DeterministicGlobals {
  randomSeed: string;
  now: () => number;
  log: (...parts: unknown[]) => void;
  lines: Lines;
  /** Called with the value and the line of each call whose result is not used. */
  onBareCall: (value: unknown, line: number) => void;
}

/** Makes the flow's global environment identical on every execution and every machine. */
export function makeGlobalsDeterministic({
  randomSeed,
  now,
  log,
  lines,
  onBareCall,
}: DeterministicGlobals): void {
  const { defineProperty, freeze } = Object;
  const set = (target: object, name: string, value: unknown) =>
    defineProperty(target, name, { value, writable: true, configurable: true, enumerable: false });

  set(globalThis, 'Date', flowDate(now, set));
  const random = randomNumbers(randomSeed);
  set(Math, 'random', () => random());
  // Garbage collection must not be observable, and there are no threads to share memory with.
  for (const name of ['WeakRef', 'FinalizationRegistry', 'SharedArrayBuffer', 'Atomics', 'performance']) {
    Reflect.deleteProperty(globalThis, name);
  }
  const write = (...parts: unknown[]) => log(...parts);
  set(globalThis, 'console', freeze({ log: write, info: write, warn: write, error: write, debug: write }));
  defineProperty(globalThis, 'calibron$line', { value: lines.mark });
  defineProperty(globalThis, 'calibron$bareCall', { value: onBareCall });
}

/** The built-in Date, except that "now" is the time of the latest answer. */
function flowDate(now: () => number, set: (target: object, name: string, value: unknown) => void): unknown {
  const RealDate = Date;
  function FlowDate(this: unknown, ...parts: unknown[]) {
    if (new.target === undefined) return new RealDate(now()).toString();
    return Reflect.construct(RealDate, parts.length === 0 ? [now()] : parts, new.target);
  }
  set(FlowDate, 'name', 'Date');
  set(FlowDate, 'now', () => now());
  set(FlowDate, 'UTC', RealDate.UTC);
  set(FlowDate, 'parse', RealDate.parse);
  set(RealDate.prototype, 'constructor', FlowDate);
  FlowDate.prototype = RealDate.prototype;
  return FlowDate;
}

/** sfc32, seeded with a hash (xmur3) of the text. */
function randomNumbers(seed: string): () => number {
  let hash = 1779033703 ^ seed.length;
  for (let i = 0; i < seed.length; i += 1) {
    hash = Math.imul(hash ^ seed.charCodeAt(i), 3432918353);
    hash = (hash << 13) | (hash >>> 19);
  }
  const next = () => {
    hash = Math.imul(hash ^ (hash >>> 16), 2246822507);
    hash = Math.imul(hash ^ (hash >>> 13), 3266489909);
    hash ^= hash >>> 16;
    return hash >>> 0;
  };
  let [a, b, c, d] = [next(), next(), next(), next()];
  return () => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return (t >>> 0) / 4294967296;
  };
}

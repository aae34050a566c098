import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { createFlowIsolates } from '../../../activities/flow-isolate/isolate.ts';
import { wellFormedJson } from '../../../shared/kernel/text.ts';
import { carryOut, flow } from '../../support/flow-run.ts';
import { repetitions } from '../../support/repetitions.ts';
import { failureOn } from './failing-flow.ts';

const isolates = createFlowIsolates();
afterAll(() => isolates.close());
const { failureOf } = failureOn(isolates);

const nested = 'let a = []; for (let i = 0; i < 3500; i++) a = [a];';
const stage = (name: string) => `session.run({ name: ${name}, tasks: ['CheckRabi'], targets: ['1'] })`;

test('a value that is nested too deeply is refused, naming the line', async () => {
  expect(await failureOf(`  ${nested}`, "  session.record('x', a);")).toBe(
    'thrown: flow "nightly" line 3: RangeError: session.record: the value "x" has more than 64 lists or objects within each other',
  );
  expect(await failureOf(`  ${nested}`, '  return a;')).toContain('more than 64 lists or objects');
  expect(await failureOf(`  ${nested}`, '  throw a;')).toMatch(/^thrown: flow "nightly" line 3/);
});

test('a value of 64 levels is kept', async () => {
  const run = await carryOut(
    isolates,
    'deep enough',
    flow('  let a = 1; for (let i = 0; i < 64; i++) a = [a];', "  session.record('x', a);", '  return a;'),
  );
  expect(JSON.stringify(run.entries[0])).toContain('[[[[1]]]]');
  expect(JSON.stringify(run.value)).toHaveLength(129);
});

test('a flow that makes itself a way past these checks meets them again outside', async () => {
  const meddle = 'const keep = JSON.stringify; Array.prototype.toJSON = undefined;';
  const past = [
    `  ${meddle} ${nested}`,
    '  String.prototype.charCodeAt = () => 0;',
    "  Object.defineProperty(Array.prototype, 'push', { value: function (x) { this[this.length] = a; } });",
    "  session.log('x');",
    '  return 1;',
  ];
  const failed = await failureOf(...past).catch((error: unknown) => String(error));
  expect(failed).not.toContain('script engine broke');
});

test('half a surrogate pair in an error, a message, a name, a value becomes a replacement character', async () => {
  expect(await failureOf('  throw new Error("\\uD800");')).toBe('thrown: flow "nightly" line 2: \uFFFD');
  const run = await carryOut(
    isolates,
    'halves',
    flow(
      '  session.log("a\\uDC00");',
      '  session.record("b\\uD800", ["c\\uD800"]);',
      `  await ${stage('"d\\uD800"')};`,
      '  return "e\\uD800";',
    ),
  );
  expect(run.entries).toMatchObject([{ message: 'a\uFFFD' }, { name: 'b\uFFFD', value: ['c\uFFFD'] }]);
  expect(run.commands).toMatchObject([{ name: 'd\uFFFD' }]);
  expect(run.value).toBe('e\uFFFD');
});

test('control characters in names and keys are refused', async () => {
  expect(await failureOf(`  await ${stage('"a\\u0000b"')};`)).toContain('a name has no control characters');
  expect(await failureOf('  session.record("a\\nb", 1);', '  return 1;')).toContain('control characters');
  expect(await failureOf('  session.record("a", { "b\\u0000": 1 });', '  return 1;')).toContain(
    'control characters in its keys',
  );
  expect(await failureOf(`  return { ["${'k'.repeat(101)}"]: 1 };`)).toContain(
    'keys of at most 100 characters',
  );
});

test('whatever text and shape a flow throws, logs, records or returns, what comes out can be stored and sent', async () => {
  const anyText = fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)), maxLength: 40 });
  const anyValue = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'large', withCrossShrink: true },
      anyText,
      fc.double(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(anyText, tie('value'), { maxKeys: 3 }),
    ),
  })).value;
  const source = (value: unknown) =>
    JSON.stringify(value).replace(/[\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16)}`);
  await fc.assert(
    fc.asyncProperty(
      anyText,
      anyValue,
      fc.constantFrom('throw', 'log', 'record', 'return'),
      async (text, value, way) => {
        const lines = {
          throw: [`  throw new Error(${source(text)});`],
          log: [`  session.log(${source(text)}, ${source(value)});`],
          record: [`  session.record(${source(text)}, ${source(value)});`],
          return: [`  return ${source(value)};`],
        }[way];
        const outcome = await carryOut(isolates, `fuzz`, flow(...lines)).catch((error: unknown) => {
          if (!(error instanceof Error) || error.name !== 'FlowError') throw error;
          return error.message;
        });
        isolates.drop('fuzz');
        const json = JSON.stringify(outcome);
        expect(wellFormedJson(json)).toBe(json);
      },
    ),
    { numRuns: repetitions({ quick: 25, soak: 300 }) },
  );
});

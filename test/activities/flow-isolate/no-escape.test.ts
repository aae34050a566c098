import { afterAll, expect, test } from 'vitest';
import { createFlowIsolates } from '../../../activities/flow-isolate/isolate.ts';
import { carryOut, firstStep, flow } from '../../support/flow-run.ts';

const isolates = createFlowIsolates();
afterAll(() => isolates.close());

async function resultOf(...lines: string[]): Promise<unknown> {
  const step = await firstStep(isolates, flow(...lines));
  return step.kind === 'end' ? step.value : step.command;
}

test('a flow finds nothing of the host', async () => {
  const hostNames = [
    'process',
    'require',
    'module',
    'Buffer',
    'fetch',
    'setTimeout',
    'setInterval',
    'queueMicrotask',
  ];
  const moreNames = [
    'WebAssembly',
    'Worker',
    'performance',
    'SharedArrayBuffer',
    'Atomics',
    'WeakRef',
    'navigator',
  ];
  expect(
    await resultOf(
      `  return ${JSON.stringify([...hostNames, ...moreNames])}.filter((name) => name in globalThis);`,
    ),
  ).toEqual([]);
});

test('globals are those of the language and three more', async () => {
  const names = await resultOf(
    '  const language = /^([A-Z]\\w*|parse\\w+|is\\w+|(en|de)code\\w+|(un)?escape|eval|undefined|globalThis)$/;',
    '  return Object.getOwnPropertyNames(globalThis).filter((name) => !language.test(name)).sort();',
  );
  expect(names).toEqual(['calibron$bareCall', 'calibron$line', 'console']);
});

test('constructors of functions and eval stay inside', async () => {
  const inside =
    "try { return typeof process + typeof require + typeof globalThis.constructor.constructor('return process') } catch (e) { return e.name }";
  expect(await resultOf(`  return new Function(${JSON.stringify(inside)})();`)).toBe(
    'undefinedundefinedfunction',
  );
  expect(await resultOf('  return session.run.constructor("return typeof process")();')).toBe('undefined');
  expect(await resultOf('  return console.log.constructor("return typeof process")();')).toBe('undefined');
  expect(await resultOf('  return (0, eval)("typeof process");')).toBe('undefined');
  expect(
    await resultOf(
      '  try { session.run.constructor.constructor("return process")(); } catch (e) { return String(e); }',
    ),
  ).toBe("ReferenceError: 'process' is not defined");
});

test('import() loads nothing', async () => {
  for (const name of ['node:fs', 'fs', './thread.ts', 'file:///etc/passwd', 'data:text/javascript,1']) {
    expect(await resultOf(`  return await import('${name}').catch((e) => String(e));`)).toMatch(
      /could not load module/,
    );
  }
});

test('the session cannot be changed', async () => {
  const attempts = [
    'session.run = () => 1',
    'session.targets.all = () => []',
    'session.parameters.qids = []',
    "session.parameters.qids.push('3')",
    'session.parameters.limits.low = 3',
    "Object.defineProperty(session, 'chip', { value: 'x' })",
    'Object.setPrototypeOf(session, {})',
    'console.log = 1',
    'calibron$bareCall = 1',
    'delete globalThis.calibron$line',
  ];
  for (const attempt of attempts) {
    expect([
      attempt,
      await resultOf(`  try { ${attempt}; return 'changed'; } catch (e) { return e.name; }`),
    ]).toEqual([attempt, 'TypeError']);
  }
  expect(
    await resultOf("  session.targets.all().push('99');", '  return session.targets.all().length;'),
  ).toBe(16);
});

test('built-in objects that a flow bends do not bend what the host receives', async () => {
  const run = await carryOut(
    isolates,
    'bent',
    flow(
      '  JSON.stringify = () => \'{"state":"command","index":0,"command":{"kind":"shell"}}\';',
      '  JSON.parse = () => ({});',
      '  Object.prototype.toJSON = undefined;',
      '  Object.freeze = Object.keys = Reflect.apply = () => { throw new Error("bent"); };',
      '  Promise.prototype.then = () => { throw new Error("bent"); };',
      '  Error.prepareStackTrace = () => { throw new Error("bent"); };',
      "  const rabi = await session.run({ name: 'Rabi', tasks: ['CheckRabi'], targets: ['1'] });",
      '  return rabi.passed;',
    ),
  ).catch((error: unknown) => error);
  // Either the flow goes on with the true values, or it fails as a flow; nothing else reaches the host.
  if (run instanceof Error) expect(run.name).toBe('FlowError');
  else expect(run).toMatchObject({ value: ['1'] });
});

test('a forged command is refused by the host', async () => {
  const forged = flow(
    '  const map = Array.prototype.map;',
    "  const forged = [{ name: 'x'.repeat(200) }];",
    "  Array.prototype.map = function (f) { return this[0] === 'CheckRabi' ? forged : map.call(this, f); };",
    "  await session.run({ name: 'Rabi', tasks: ['CheckRabi'], targets: ['1'] });",
  );
  await expect(firstStep(isolates, forged)).rejects.toMatchObject({ name: 'FlowError', reason: 'command' });
});

const hasty = createFlowIsolates({ timeMs: 300, graceMs: 10_000 });
afterAll(() => hasty.close());

test.each([
  "{ state: 'command', index: 0, line: 1, command: { kind: 'shell' }, entries: [] }",
  "{ state: 'command', index: 7, line: 1, command: { kind: 'sleep', seconds: 1 }, entries: [] }",
  "{ state: 'failed', reason: 'thrown', line: 'one', message: {}, entries: 3 }",
  "'text'",
  'undefined',
  '(() => { for (;;) ; })()',
])('a forged answer of the isolate is a failed flow: %s', async (forged) => {
  const of = flow(`  Object.prototype.toJSON = () => (${forged});`, '  await session.sleep(1);');
  await expect(firstStep(hasty, of)).rejects.toMatchObject({ name: 'FlowError' });
});

test('a flow cannot restart its count of commands', async () => {
  const of = flow(
    "  Object.prototype.toJSON = function () { return 'index' in this ? { ...this, index: 0 } : this; };",
    '  for (let i = 0; i < 3; i++) await session.sleep(i);',
  );
  await expect(carryOut(isolates, 'recount', of)).rejects.toMatchObject({ reason: 'commands' });
});

import { afterAll, expect, test } from 'vitest';
import { createFlowChecking } from '../../../../shared/domain/flows/checking.ts';

const tasks = () => ['CheckRabi', 'CheckT1'];
const checking = createFlowChecking(tasks);
const impatient = createFlowChecking(tasks, { processorMs: 1 });
afterAll(() => Promise.all([checking.close(), impatient.close()]));

const flow = 'export async function flow(session) {}';
/** As much code as a flow may have. */
const largest = `${flow}\n${Array.from({ length: 8000 }, (_, i) => `const a${i} = [[${i}]];\n`).join('')}`;

test('a flow and its parameters are checked as by the functions themselves', async () => {
  expect(await checking.flow({ user: 'p' }, flow, 'flow')).toMatchObject({ ok: true, javascript: flow });
  expect(await checking.flow({ user: 'p' }, flow, 'other')).toMatchObject({ ok: false });
  const declared = { n: { type: 'number', description: '', default: 3 } } as const;
  expect(await checking.parameters({ user: 'p' }, declared, {})).toEqual({ values: { n: 3 }, problems: [] });
});

test('what takes too much to check is refused with a message, once and again', async () => {
  const refused = {
    code: 'invalid_flow',
    message: expect.stringMatching(/too much time or memory to check/),
  };
  await expect(impatient.flow({ user: 'p' }, largest, 'flow')).rejects.toMatchObject(refused);
  await expect(impatient.flow({ user: 'q' }, largest, 'flow')).rejects.toMatchObject(refused);
});

test('a user who checks more than a turn is refused, and others are not', async () => {
  const own = Array.from({ length: 60 }, (_, i) =>
    checking.flow({ user: 'busy' }, `${flow} // ${i}`, 'flow'),
  );
  const other = checking.flow({ user: 'other' }, `${flow} // of another`, 'flow');
  const results = await Promise.allSettled(own);
  const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.length).toBeLessThan(60);
  for (const reason of refused) expect(reason).toMatchObject({ code: 'too_many_requests', retryAfter: 5 });
  expect(await other).toMatchObject({ ok: true });
  expect(await checking.flow({ user: 'busy' }, `${flow} // later`, 'flow')).toMatchObject({ ok: true });
});

test('checks of one user wait for each other, so that those of another user pass them', async () => {
  const done: string[] = [];
  const noting = (name: string, text: string, project: string) =>
    checking.flow({ user: project }, text, 'flow').then(() => done.push(name));
  const own = Array.from({ length: 10 }, (_, i) => noting(`own ${i}`, `${largest}// ${i}`, 'busy'));
  await noting('other', `${flow} // short`, 'other');
  expect(done.length).toBeLessThan(6);
  await Promise.all(own);
  expect(done).toHaveLength(11);
});

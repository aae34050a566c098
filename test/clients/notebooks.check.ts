import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { pythonVersion } from '../support/python.ts';
import { openPythonLaboratory, type PythonLaboratory } from '../support/python-laboratory.ts';
import { pythonFolder, pythonForPackage } from '../support/python-package.ts';

const run = promisify(execFile);
const program = fileURLToPath(new URL('execute_notebook.py', import.meta.url));
/** Set to write the notebooks of the documentation anew, with their outputs. */
const stores = process.env['STORE_NOTEBOOKS'] !== undefined;

let laboratory: PythonLaboratory;
let interpreter: string;
beforeAll(async () => {
  const version = await pythonVersion();
  if (version === null) throw new Error('These checks need Python with pip.');
  interpreter = await pythonForPackage(version, 'notebooks');
  laboratory = await openPythonLaboratory(interpreter);
}, 900_000);
afterAll(() => laboratory?.close());

const executed = z.object({
  cells: z.array(z.object({ cell_type: z.string(), outputs: z.array(z.unknown()).optional() })),
});

test.each(['first_look', 'own_flow', 'drift'])('Jupyter executes the notebook %s', async (name) => {
  const notebook = join(pythonFolder, 'notebooks', `${name}.ipynb`);
  const target = stores ? notebook : join(laboratory.lab.directory, `${name}.ipynb`);
  await run(interpreter, [program, notebook, target], { env: laboratory.environment() });
  const { cells } = executed.parse(JSON.parse(await readFile(target, 'utf8')));
  const code = cells.filter(({ cell_type }) => cell_type === 'code');
  expect(code.filter(({ outputs = [] }) => outputs.length === 0)).toEqual([]);
});

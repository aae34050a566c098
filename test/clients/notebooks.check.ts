import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pythonVersion } from '../support/python.ts';
import { openPythonLaboratory, type PythonLaboratory } from '../support/python-laboratory.ts';
import { pythonFolder, pythonForPackage } from '../support/python-package.ts';
import { addPictures, figuresOf, notebookFile } from './notebook-pictures.ts';

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
  const qubits = Array.from({ length: 16 }, (_, qid) => String(qid));
  laboratory = await openPythonLaboratory(interpreter, qubits);
}, 900_000);
afterAll(() => laboratory?.close());

/** The file plotly.min.js of the Python package. */
async function plotlyProgram(): Promise<string> {
  const words =
    'import plotly, os; print(os.path.join(os.path.dirname(plotly.__file__), "package_data", "plotly.min.js"))';
  return (await run(interpreter, ['-c', words])).stdout.trim();
}

/** From now on the qubits drift, and half a day passes in less than a second. */
const letAWeekPass = () =>
  laboratory.lab.setFaults({
    rules: [],
    phenomena: [{ chip_id: 'A16', phenomenon: 'device_drift', size: 1 }],
    clock: { device: '2026-03-01T00:00:00Z', real: new Date().toISOString(), rate: 60_000 },
  });

test.each([
  { name: 'first_look', figures: 2, tables: 1 },
  { name: 'own_flow', figures: 0, tables: 1 },
  { name: 'drift', figures: 1, tables: 0 },
])(
  'Jupyter executes the notebook $name, with its figures and the last state of its tables',
  async ({ name, figures, tables }) => {
    if (name === 'drift') await letAWeekPass();
    const notebook = join(pythonFolder, 'notebooks', `${name}.ipynb`);
    const target = stores ? notebook : join(laboratory.lab.directory, `${name}.ipynb`);
    await run(interpreter, [program, notebook, target], { env: laboratory.environment() });
    const executed = notebookFile.parse(JSON.parse(await readFile(target, 'utf8')));
    const code = executed.cells.filter(({ cell_type }) => cell_type === 'code');
    expect(code.filter(({ outputs = [] }) => outputs.length === 0)).toEqual([]);
    expect(figuresOf(executed)).toHaveLength(figures);
    const shown = code
      .flatMap(({ outputs = [] }) => outputs)
      .map(({ data }) => String(data?.['text/html'] ?? ''))
      .filter((html) => html.includes(' failed\n'));
    expect(shown).toHaveLength(tables);
    for (const table of shown) expect(table).toMatch(/completed[^\n]* (\d+) of \1, 0 failed/);
    if (!stores) return;
    await addPictures(executed, await plotlyProgram());
    await writeFile(target, `${JSON.stringify(executed, null, 1)}\n`);
  },
);

import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectedBackendList } from '../../shared/domain/backend-workers/model.ts';
import { taskDefinitionList } from '../../shared/domain/backends/model.ts';
import { explanation } from '../../shared/domain/explanations/model.ts';
import { provenanceHistory } from '../../shared/domain/provenance/model.ts';
import { reanalysed } from '../../shared/domain/reanalysis/model.ts';
import { lockStatus, startedRun } from '../../shared/domain/runs/model.ts';
import { projectIdSchema } from '../../shared/kernel/ids.ts';
import { administrator } from '../support/common-laboratory.ts';
import { eventually, type Laboratory } from '../support/laboratory.ts';
import type { LaboratoryApi } from '../support/laboratory-api.ts';
import { pythonVersion } from '../support/python.ts';
import { openPythonLaboratory, type PythonLaboratory } from '../support/python-laboratory.ts';
import { INSTALLS_WITHIN, pythonFolder, pythonForPackage } from '../support/python-package.ts';

const run = promisify(execFile);
const version = await pythonVersion();
const session = fileURLToPath(new URL('session.py', import.meta.url));
const notebookProgram = fileURLToPath(new URL('run_notebook.py', import.meta.url));
/** Milliseconds that a look at the workers may take on a busy machine. */
const PATIENCE = 60_000;

describe.skipIf(version === null)('a laboratory that works in Python', () => {
  let laboratory: PythonLaboratory;
  let lab: Laboratory;
  let api: LaboratoryApi;
  let interpreter: string;
  let project: string;
  let environment: PythonLaboratory['environment'];

  beforeAll(async () => {
    interpreter = await pythonForPackage(version ?? '');
    laboratory = await openPythonLaboratory(interpreter);
    ({ lab, api, project, environment } = laboratory);
  }, INSTALLS_WITHIN);
  afterAll(() => laboratory?.close());

  /** Runs a command of the command line in a folder. */
  const calibron = (folder: string, ...words: string[]) =>
    run(interpreter, ['-m', 'calibron.command.main', ...words], { env: environment(), cwd: folder });

  async function fridge() {
    const { backends } = connectedBackendList.parse(await (await api.ask('/backends')).json());
    const found = backends.find(({ name }) => name === 'fridge-1') ?? expect.fail('no fridge-1');
    return found.workers;
  }

  test('sees its worker with its tasks, and what it measures for whom', async () => {
    await eventually(async () => (await fridge()).some(({ tasks }) => tasks !== null), PATIENCE);
    const [described] = await fridge();
    expect(described).toMatchObject({ version: '0.3', at_once: 1, problem: null, measuring: [] });
    expect(described?.identity).toMatch(/^fridge-1:\d+@/);
    expect(described?.tasks?.find(({ name }) => name === 'CheckT1')).toEqual({
      name: 'CheckT1',
      description: 'Excites the qubit and waits.',
      run_parameters: { shots: 2000 },
      declared: false,
      problem: null,
    });
    const slow = ['task', 'CheckT1', '--qubit', '0', '--backend', 'fridge-1', '--set', 'shots=600000'];
    const { stdout } = await calibron(lab.directory, ...slow);
    const execution_id = stdout.trim();
    const isHalfDone = async () => (await fridge()).some(({ measuring }) => measuring[0]?.progress === 0.5);
    await eventually(isHalfDone, PATIENCE);
    const [busy] = await fridge();
    expect(busy?.measuring).toEqual([
      {
        project_id: project,
        execution_id,
        what: 'CheckT1 · 0 · 1',
        progress: 0.5,
        since: expect.any(String),
      },
    ]);
    await calibron(lab.directory, 'cancel', execution_id);
    const watched = await calibron(lab.directory, 'watch', execution_id).catch((thrown) => thrown);
    expect(watched).toMatchObject({ code: 1 });
    expect(watched.stderr).toContain(`The run ${execution_id} was cancelled.`);
    await eventually(async () => (await fridge()).every(({ measuring }) => measuring.length === 0), PATIENCE);
    // A cancelled run holds its project until its workflow has ended.
    await eventually(async () => {
      const answer = await api.ask('/executions/lock-status');
      return !lockStatus.parse(await answer.json()).lock;
    }, PATIENCE);
  });

  test('measures T1 on its instrument by the client, and is refused where no worker is', async () => {
    const given = [api.base, administrator.username, administrator.password, project];
    const { stdout } = await run(interpreter, [session, ...given], { env: environment() });
    expect(stdout.trim().split('\n')).toEqual([
      'refused no_worker',
      'completed True us',
      'fridge-1 True',
      "['end', 'task'] completed",
    ]);
  });

  /** Runs the lab's own task on qubit 0, and waits for its end. @returns the task result */
  async function ownTaskResult(path: string, body: object) {
    const started = startedRun.parse(await (await api.ask(path, body)).json());
    await eventually(async () => {
      const found = await lab.areas.executions.store.get(
        projectIdSchema.parse(project),
        started.execution_id,
      );
      return found !== null && found.end_at !== null;
    }, PATIENCE);
    const results = await lab.areas.results.ofExecution(projectIdSchema.parse(project), started.execution_id);
    return results.find(({ name }) => name === 'LabSlope') ?? expect.fail('no result of LabSlope');
  }

  test('has a task of its own, whose value passes the gates and keeps its origin', async () => {
    await eventually(async () => {
      const { tasks } = taskDefinitionList.parse(await (await api.ask('/tasks?backend=fridge-1')).json());
      const own = tasks.find(({ name }) => name === 'LabSlope');
      return own?.output_parameters['lab_slope']?.unit === 'us' && own.description !== '';
    }, PATIENCE);
    expect((await fridge())[0]?.tasks?.find(({ name }) => name === 'LabSlope')).toEqual({
      name: 'LabSlope',
      description: 'Measures what only this lab knows.',
      run_parameters: { gain: 1, shots: 1000 },
      declared: true,
      problem: null,
    });
    const asked = { chip_id: 'A16', qid: '0', backend_name: 'fridge-1', persist_output_parameters: true };
    const found = await ownTaskResult('/tasks/LabSlope/execute', asked);
    const note = { backend_log: expect.stringContaining('the bias is 3 mV') };
    expect(found).toMatchObject({ status: 'completed', qid: '0', note, raw_data_path: [expect.any(String)] });
    expect(found.output_parameters['lab_slope']).toMatchObject({ value: 12.5, error: 0.5, unit: 'us' });
    const qubit = await (await api.ask('/chips/A16/qubits/0')).json();
    const { task_id } = found;
    expect(qubit).toMatchObject({ data: { lab_slope: { value: 12.5, error: 0.5, unit: 'us', task_id } } });
    const history = await (await api.ask('/provenance/history?parameter_name=lab_slope&qid=0')).json();
    const [version] = provenanceHistory.parse(history).versions;
    expect(version).toMatchObject({ value: 12.5, unit: 'us', task_name: 'LabSlope' });
    const why = await (await api.ask(`/provenance/explain/${version?.entity_id}`)).json();
    const rules = explanation.parse(why).gates.map(({ rule }) => rule);
    expect(rules).toEqual(expect.arrayContaining(['r2', 'bounds']));
    const [file] = found.raw_data_path;
    const words = [
      'backend',
      'analyse',
      'fridge:backend',
      'LabSlope',
      join(lab.settings.CALIB_DATA_PATH, file ?? ''),
    ];
    const again = await calibron(lab.directory, ...words, '--set', 'gain=2');
    expect(JSON.parse(again.stdout).outputs.lab_slope).toEqual({ value: 25, error: 0.5, unit: 'us' });
    const preview = await api.ask(`/task-results/${task_id}/reanalyze`, { parameters: { gain: 2 } });
    expect(reanalysed.parse(await preview.json()).output_parameters).toEqual([
      { name: 'lab_slope', value: 25, unit: 'us' },
    ]);
    const refused = await ownTaskResult('/tasks/LabSlope/execute', {
      ...asked,
      run_parameter_overrides: { gain: { value: 10 } },
    });
    expect(refused).toMatchObject({
      status: 'failed',
      message: expect.stringContaining('The output lab_slope is 125 us, which must be at most 100.'),
    });
  });

  test('uses its own task in flows', async () => {
    const code = `export async function own(session) {
  await session.run({ name: 'own', tasks: ['LabSlope'], targets: session.targets.qubits(['1']) });
  session.record('slope', await session.values('lab_slope', ['1']));
}
`;
    await api.ask('/flows', { name: 'own', chip_id: 'A16', code });
    const body = { parameters: { backend_name: 'fridge-1' } };
    expect(await ownTaskResult('/flows/own/execute', body)).toMatchObject({ status: 'completed', qid: '1' });
  });

  test('does its work from the command line', async () => {
    const folder = await mkdtemp(join(lab.directory, 'command-'));
    const chips = await calibron(folder, 'chips', '--format', 'json');
    expect(JSON.parse(chips.stdout)).toMatchObject([{ chip_id: 'A16', activity_status: 'active' }]);
    const measured = await calibron(folder, 'run', 'first_light', '--watch');
    expect(measured.stdout).toContain('completed  CheckRabi 0');
    const results = await calibron(folder, 'results', 'CheckRabi', '--format', 'csv');
    expect(results.stdout).toMatch(/^target,task,parameter,value.*\n(?:.*\n)*0,CheckRabi,\w+,[\d.e-]+,/);
    const why = await calibron(folder, 'why', 'rabi_frequency', '--qubit', '0');
    expect(why.stdout).toContain('CheckRabi measured it in');
    const listed = await calibron(folder, 'executions', '--limit', '1', '--format', 'json');
    expect(JSON.parse(listed.stdout)).toMatchObject([
      { name: expect.stringMatching(/^first_light/), status: 'completed' },
    ]);
    const [latest] = JSON.parse((await calibron(folder, 'results', 'CheckRabi', '--format', 'json')).stdout);
    await calibron(folder, 'download', latest.task_id, '--to', 'files');
    const files = await readdir(join(folder, 'files'));
    expect(files.some((name) => name.endsWith('.nc'))).toBe(true);
    expect(files.some((name) => name.endsWith('.png'))).toBe(true);
  });

  test('imports start values from a file', async () => {
    const folder = await mkdtemp(join(lab.directory, 'values-'));
    await writeFile(join(folder, 'seeds.csv'), 'parameter,qid,value\nqubit_frequency,1,7.9\n');
    const imported = await calibron(folder, 'import-params', 'seeds.csv');
    expect(imported.stdout).toBe('1 imported, 0 skipped, 0 refused.\n');
    const why = await calibron(folder, 'why', 'qubit_frequency', '--qubit', '1');
    expect(why.stdout).toContain('qubit_frequency of Q1 is 7.9 GHz');
    await writeFile(join(folder, 'seeds.json'), '{"qubit_frequency": {"0": "fast"}}');
    const refused = await calibron(folder, 'import-params', 'seeds.json').catch((thrown) => thrown);
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toContain('qubit_frequency of 0 is not a number: fast');
  });

  test('keeps its flows in a folder', async () => {
    const folder = await mkdtemp(join(lab.directory, 'flows-'));
    await calibron(folder, 'flows', 'pull');
    const file = join(folder, 'flows', 'first_light.ts');
    const code = await readFile(file, 'utf8');
    await calibron(folder, 'flows', 'check');
    await writeFile(file, code.replace("name: 'rabi'", "name: 'first rabi'"));
    const different = await calibron(folder, 'flows', 'check').catch((thrown) => thrown);
    expect(different).toMatchObject({ code: 1, stdout: 'first_light differs: code\n' });
    expect((await calibron(folder, 'flows', 'push')).stdout).toBe('pushed first_light\n');
    expect((await calibron(folder, 'flows', 'push')).stdout).toBe('');
    await writeFile(file, 'this is no flow');
    const refused = await calibron(folder, 'flows', 'push').catch((thrown) => thrown);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stderr).toContain('first_light: ');
  });

  test.each([
    ['first_look', /t1 of Q0 is [\d.]+ ± [\d.]+ us, version \d+/],
    ['own_flow', /CheckT1 0 completed/],
    ['drift', /spread [\d.]+, error [\d.]+ us/],
  ])('goes through the notebook %s', async (name, printed) => {
    const notebook = join(pythonFolder, 'notebooks', `${name}.ipynb`);
    const { stdout } = await run(interpreter, [notebookProgram, notebook], { env: environment() });
    expect(stdout).toMatch(printed);
  });

  test('signs in once for all later commands, and reads a message where it may not', async () => {
    const folder = await mkdtemp(join(lab.directory, 'login-'));
    const env = { ...environment(), HOME: folder, CALIBRON_USERNAME: '', CALIBRON_PASSWORD: '' };
    const command = (...words: string[]) =>
      run(interpreter, ['-m', 'calibron.command.main', ...words], { env, cwd: folder });
    const refused = await command('chips').catch((thrown) => thrown);
    expect(refused).toMatchObject({ code: 3 });
    expect(refused.stderr).not.toContain('Traceback');
    const signedIn = run(
      interpreter,
      ['-m', 'calibron.command.main', 'login', '--username', administrator.username],
      { env, cwd: folder },
    );
    signedIn.child.stdin?.end(`${administrator.password}\n`);
    expect((await signedIn).stdout).toContain(`as ${administrator.username}`);
    expect((await command('chips', '--format', 'csv')).stdout).toContain('A16');
    await command('logout');
    expect(await command('chips').catch((thrown) => thrown)).toMatchObject({ code: 3 });
    const away = await command('--url', 'http://127.0.0.1:1', 'chips').catch((thrown) => thrown);
    expect(away).toMatchObject({ code: 4 });
  });
});

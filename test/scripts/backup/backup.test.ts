import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type Client, createClient } from '../../../scripts/demo/client.ts';
import { isAlive } from '../../../scripts/engines/pids.ts';
import { executionIdSchema, taskIdSchema } from '../../../shared/kernel/ids.ts';
import { kill, type Launched, launch, processesNaming, remembered } from '../../support/launching.ts';
import { repetitions } from '../../support/repetitions.ts';
import { command, killSometime, succeeds, wholeBackups } from './commands.ts';

const READY = 'Calibron is ready';
const PASSWORD = 'a password for the test';
/** A slow machine takes so long for its backups that the client meanwhile saves more flows than a project usually may have. */
const SETTINGS = {
  ...{ ADMIN_PASSWORD: PASSWORD, SIMULATOR_SECONDS: '1', API_PORT: '0' },
  FLOWS_PER_PROJECT: '10000',
};
/** How often a backup and a restore are killed before they may finish. */
const KILLS = repetitions({ quick: 2, soak: 40 });

let directory: string;
let running: Launched | undefined;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'calibron-backup-'));
});
afterEach(({ task }) => {
  if (task.result?.state === 'fail') console.log(running?.output());
});
afterAll(async () => {
  for (const pid of processesNaming(directory)) if (isAlive(pid)) kill(pid);
  await rm(directory, { recursive: true, force: true });
});

const from = (...names: string[]) => join(directory, ...names);

async function start(dataDirectory: string, ...words: string[]): Promise<Client> {
  running = launch(words, { ...SETTINGS, DATA_DIR: dataDirectory });
  await running.until(READY, 300_000);
  const address = (await remembered(dataDirectory))['api']?.address ?? '';
  const login = await fetch(`${address}/auth/login`, {
    method: 'POST',
    body: new URLSearchParams({ username: 'admin', password: PASSWORD }),
  });
  const { access_token } = z.object({ access_token: z.string() }).parse(await login.json());
  return createClient(address, access_token);
}

async function stop(): Promise<void> {
  running?.signal('SIGTERM');
  await running?.ended;
}

const anything = z.looseObject({});
const named = z.object({ project_id: z.string() });
const flowsOf = z.object({ flows: z.array(z.object({ name: z.string() })) });
const run = z.object({ execution_id: executionIdSchema });
const approvals = z.object({ approvals: z.array(z.object({ approval_id: z.string() })) });
const taskResult = z.looseObject({
  task_id: taskIdSchema,
  status: z.string(),
  json_figure_path: z.array(z.string()),
  raw_data_path: z.array(z.string()),
});
const execution = z.looseObject({
  status: z.string(),
  message: z.string().nullable(),
  task: z.array(taskResult),
});
const executions = z.object({ executions: z.array(z.object({ execution_id: executionIdSchema })) });

const asking = `export async function asking(session) {
  const { answer } = await session.approval({ question: 'Go on?', deadline_seconds: 86400, default: 'no' });
  session.log('the answer is ' + answer);
}`;
const measuring = `export async function asking(session) {
  const tasks = Array(500).fill('CheckT1');
  await session.run({ name: 'long', tasks, targets: session.targets.qubits(['0', '1', '2']) });
}`;
const flowOf = (name: string, code: string, chip_id: string) => ({
  ...{ name, code, chip_id, flow_function_name: 'asking', description: '', tags: [] },
});

test('a backup of an installation under load is restored elsewhere, whole, whatever was killed', async () => {
  const [original, copy, backups] = [from('original'), from('elsewhere', 'copy'), from('backups')];
  let client = await start(original);
  const { project_id: demo } = z
    .object({ project_id: z.string() })
    .parse((await client.ask('/projects', z.object({ projects: z.array(named) }))).projects[0]);
  const demoRun = await eventuallyFound(async () => {
    const found = await client.ask('/executions?chip_id=DEMO-16', executions, { projectId: demo });
    return found.executions[0]?.execution_id;
  });

  const inDemo = { projectId: demo };
  await eventuallyFound(async () => {
    const { status } = await client.ask(`/executions/${demoRun}`, execution, inDemo);
    return status === 'running' || status === 'scheduled' ? undefined : status;
  });

  // A run that waits for a person, in a project of its own.
  const { project_id: waiting } = await client.ask('/projects', named, {
    method: 'POST',
    body: { name: 'waits' },
  });
  const inWaiting = { projectId: waiting, method: 'POST' as const };
  await client.ask('/chips', anything, { ...inWaiting, body: { chip_id: 'CHIP', size: 16 } });
  await client.ask('/flows', anything, { ...inWaiting, body: flowOf('asking', asking, 'CHIP') });
  const asked = await client.ask('/flows/asking/execute', run, { ...inWaiting, body: {} });
  const question = await eventuallyFound(async () => {
    const open = await client.ask('/approvals', approvals, { projectId: waiting });
    return open.approvals[0]?.approval_id;
  });

  // A run that measures until it is ended.
  await client.ask('/flows', anything, {
    ...{ ...inDemo, method: 'POST' },
    body: flowOf('measuring', measuring, 'DEMO-16'),
  });
  const measuringRun = await client.ask('/flows/measuring/execute', run, {
    ...{ ...inDemo, method: 'POST', body: {} },
  });

  /** Flows that the service has acknowledged, while backups are made. */
  const acknowledged: string[] = [];
  let writes = true;
  const writing = (async () => {
    for (let n = 0; writes; n += 1) {
      const name = `kept_${n}`;
      await client.ask('/flows', anything, {
        ...inWaiting,
        body: flowOf(name, `${asking}\n// ${n}`, 'CHIP'),
      });
      acknowledged.push(name);
      await wait(50);
    }
  })();

  const backupTakes = await timed(() => succeeds(command('main', original, '--to', backups)));
  for (let round = 0; round < KILLS; round += 1) {
    await killSometime(command('main', original, '--to', backups), backupTakes, backups);
    // What was there before is there and whole, or a newer one in its place.
    expect(await wholeBackups(backups)).not.toEqual([]);
  }
  await eventuallyFound(async () => {
    const { task } = await client.ask(`/executions/${measuringRun.execution_id}`, execution, inDemo);
    return task.filter(({ status }) => status === 'completed').length > 4 || undefined;
  });
  const sure = [...acknowledged];
  expect(await succeeds(command('main', original, '--to', backups))).toMatch(/backed up and checked/);
  writes = false;
  await writing;
  expect(processesNaming(backups), 'what the killed ones had started').toEqual([]);
  const names = (await readdir(backups)).filter((name) => name.startsWith('20'));
  // Those of one day are one: the newest.
  expect(names.filter((name) => !name.endsWith('.unfinished'))).toHaveLength(1);

  // It does not take the place of an installation in use.
  const refused = await command('restore-main', original, '--from', backups).ended;
  expect(refused).toMatchObject({ code: 1, output: expect.stringMatching(/is in use: it has/) });

  const before = await Promise.all(
    [demoRun, measuringRun.execution_id].map((id) => client.ask(`/executions/${id}`, execution, inDemo)),
  );
  await stop();
  const trial = from('trial');
  const restoreTakes = await timed(() => succeeds(command('restore-main', trial, '--from', backups)));
  await rm(trial, { recursive: true });
  for (let round = 0; round < KILLS; round += 1) {
    await killSometime(command('restore-main', copy, '--from', backups), restoreTakes, copy);
    if (existsSync(join(copy, '.restoring'))) {
      const half = launch(['--no-demo'], { ...SETTINGS, DATA_DIR: copy });
      expect(await half.ended).toBe(1);
      expect(half.output()).toMatch(/a restore to .* was not finished; run npm run restore again/);
    } else {
      // It was killed before it wrote anything, or once it was done.
      await rm(copy, { recursive: true, force: true });
    }
  }
  const output = await succeeds(command('restore-main', copy, '--from', backups));
  expect(processesNaming(copy), 'what the killed ones had started').toEqual([]);
  expect(await wholeBackups(backups)).toHaveLength(1);
  expect(output).toContain(`run ${asked.execution_id} of project ${waiting}: continues`);
  const { execution_id: measuringId } = measuringRun;
  expect(output).toMatch(
    new RegExp(`run ${measuringId} of project ${demo}: Ended by a restore of the backup of`),
  );

  client = await start(copy, '--no-demo');
  const listed = await client.ask('/flows', flowsOf, { projectId: waiting });
  const flows = listed.flows.map(({ name }) => name);
  expect(flows).toEqual(expect.arrayContaining(sure));

  // The run that had ended is the same. The measuring one is ended, and all that it completed is there. So are their files.
  const [whole, ended] = await Promise.all(
    [demoRun, measuringId].map((id) => client.ask(`/executions/${id}`, execution, inDemo)),
  );
  expect(inPlaceOf(original, copy, whole)).toEqual(inPlaceOf(original, copy, before[0]));
  expect(ended).toMatchObject({ status: 'failed', message: expect.stringMatching(/^Ended by a restore/) });
  const completed = (ended?.task ?? []).filter(({ status }) => status === 'completed');
  expect(completed.length).toBeGreaterThan(4);
  const known = new Map(before[1]?.task.map((each) => [each.task_id, each]));
  for (const task of completed) expect(inPlaceOf(original, copy, task)).toEqual(known.get(task.task_id));
  for (const task of [...(whole?.task ?? []), ...completed]) {
    const paths = [...task.json_figure_path, ...task.raw_data_path];
    expect(paths.length).toBeGreaterThan(0);
    for (const path of paths) {
      expect((await readFile(path)).equals(await readFile(path.replace(copy, original)))).toBe(true);
    }
  }
  // Nothing of it is measured again, and the run that waited goes on.
  await client.ask(`/approvals/${question}`, anything, { ...inWaiting, body: { answer: 'yes' } });
  const done = await eventuallyFound(async () => {
    const now = await client.ask(`/executions/${asked.execution_id}`, execution, { projectId: waiting });
    return now.status === 'running' ? undefined : now;
  });
  expect(done.status).toBe('completed');
  const later = await client.ask(`/executions/${measuringId}`, execution, inDemo);
  expect(later.task).toEqual(ended?.task);
  await stop();
});

test('an encrypted backup shows no names, links what is unchanged, and is restored with its passphrase only', async () => {
  const [copy, again, backups] = [from('elsewhere', 'copy'), from('again'), from('sealed')];
  const passphrase = from('passphrase');
  await writeFile(passphrase, 'a passphrase of the lab\n');
  const sealed = ['--to', backups, '--passphrase-file', passphrase];
  // Nothing runs, so the engines are started for it.
  await succeeds(command('main', copy, ...sealed, '--daily', '9'));
  const one = await readdir(backups);
  await succeeds(command('main', copy, ...sealed, '--daily', '0', '--weekly', '0'));
  const newest = (await readdir(backups)).filter((name) => name.startsWith('20'));
  expect(newest).toHaveLength(1);
  expect(one).not.toContain(newest[0]);
  const all = await readdir(join(backups, newest[0] ?? ''), { recursive: true });
  expect(all.join(' ')).not.toMatch(/calib_data|DEMO|token-secret|\.json .*CheckT1|\.nc/);

  const without = await command('restore-main', again, '--from', backups).ended;
  expect(without).toMatchObject({ code: 1, output: expect.stringMatching(/are encrypted/) });
  await mkdir(again, { recursive: true });
  const restoring = ['--from', backups, '--passphrase-file', passphrase, '--as-copy'];
  await succeeds(command('restore-main', again, ...restoring));
  const [marker, other] = await Promise.all(
    [copy, again].map((root) => readFile(join(root, 'calib_data', '.calibron-installation'), 'utf8')),
  );
  expect(marker).not.toBe(other);
  expect((await stat(join(again, 'store-password'))).mode & 0o777).toBe(0o600);
  const damaged = join(backups, newest[0] ?? '', 'contents.json');
  await writeFile(damaged, (await readFile(damaged)).fill(1, 40, 60));
  const broken = await command('restore-main', from('broken'), ...restoring).ended;
  expect(broken).toMatchObject({ code: 1, output: expect.stringMatching(/is damaged/) });
});

/** What an installation answers, with the paths of the original and without the port of its UI: each takes a free one. */
function inPlaceOf(original: string, copy: string, answer: unknown): unknown {
  const text = JSON.stringify(answer).replaceAll(copy, original);
  return JSON.parse(text.replaceAll(/127\.0\.0\.1:\d+\/namespaces/g, '127.0.0.1/namespaces'));
}

/** Milliseconds that it takes. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

async function eventuallyFound<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await wait(100);
  }
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { entryOf, writeState } from '../../../scripts/engines/state.ts';
import { checkRelease, noteRelease, type ReleaseCheck } from '../../../scripts/start/release-check.ts';
import { domain } from '../../../shared/domain/areas.ts';
import { lockWorkflowId, stageWorkflowId } from '../../../shared/kernel/engine/workflow-ids.ts';
import { packageRoot } from '../../../shared/kernel/package-root.ts';
import { workflowBundle } from '../../../workers/bundle.ts';
import { changedBundle } from '../../support/changed-bundle.ts';
import { executionNamed } from '../../support/ids.ts';
import {
  eventually,
  type LabChip,
  type Laboratory,
  oneStage,
  openLaboratory,
} from '../../support/laboratory.ts';

let lab: Laboratory;
let place: LabChip;
let execution: string;
/** Notes which release served last. */
let file: string;
/** Data directory of a release that asks for more in a stage. */
let next: string;
const reported: string[] = [];
/** A run in the middle of its stage. */
beforeAll(async () => {
  lab = await openLaboratory();
  [file, next] = [join(lab.directory, 'release'), join(lab.directory, 'next')];
  await lab.startWorker();
  place = await lab.newProject();
  const { projectId: project_id } = place;
  await lab.setFaults({ rules: [{ behaviour: 'slow', match: { project_id }, seconds: 600 }] });
  execution = (await lab.startFlow(place, oneStage(['CheckRabi'], ['0']))).execution_id;
  await eventually(async () => (await lab.journal(project_id, executionNamed(execution))).length > 0);
  const bundle = await workflowBundle(lab.cache, { versioned: true });
  const begin = 'async function runSteps() {';
  const another = 'await activities.noteWaiting({ run, waiting: null });';
  await mkdir(join(next, 'cache'), { recursive: true });
  await writeFile(
    join(next, 'cache', basename(bundle)),
    changedBundle(await readFile(bundle, 'utf8'), begin, `${begin} ${another}`),
  );
});
afterAll(async () => {
  await lab.setFaults({ rules: [] });
  await lab.engine.client.workflow.getHandle(lockWorkflowId(place.projectId)).cancel();
  await lab.ended(place.projectId, executionNamed(execution));
  await lab.close();
});
beforeEach(async () => {
  await rm(file, { force: true });
  reported.length = 0;
});

const check = (given: Partial<ReleaseCheck> = {}, dataDirectory = lab.directory) =>
  checkRelease({
    file,
    db: lab.database.db,
    executions: lab.areas.executions.store,
    collections: domain.collections,
    environment: () => ({ ...process.env, ...lab.variables, DATA_DIR: dataDirectory }),
    temporalReady: Promise.resolve(),
    report: (line) => reported.push(line),
    signal: new AbortController().signal,
    despiteOpenRuns: false,
    hasVersions: false,
    ...given,
  });

test('a release that open runs go on with starts, and says so', async () => {
  await check();
  expect(reported).toContainEqual(
    expect.stringMatching(/^ {2}\d+ open workflows continue with this release\.$/),
  );
});

test('a release that open runs do not match is not started, unless an operator insists or workers have versions', async () => {
  await expect(check({}, next)).rejects.toThrow(
    /^open runs do not match this release, and nothing was changed yet\./,
  );
  expect(reported).toContainEqual(
    expect.stringContaining(
      `${stageWorkflowId(place.projectId, executionNamed(execution), 0)} does not match this release`,
    ),
  );
  await check({ despiteOpenRuns: true }, next);
  await check({ hasVersions: true }, next);
});

test('a release that has served the data before is not checked again', async () => {
  await noteRelease(file);
  await check({}, next);
  expect(reported).toEqual([]);
});

test('a new release names the indexes that it changes where no run is open', async () => {
  await writeFile(file, 'another release');
  const collections = [
    { collection: 'executions', indexes: [{ name: 'made_up', key: { made_up: 1 } as const }] },
  ];
  await check({ collections, executions: { open: async () => [] } });
  expect(reported).toEqual([expect.stringContaining('Indexes of executions: this release builds made_up')]);
});

/** Runs `npm run promote -- --check` for the data directory of the laboratory, without addresses of servers. */
async function promoteCheck(): Promise<{ code: number; output: string }> {
  const { TEMPORAL_NAMESPACE, MONGODB_DATABASE, DATA_DIR } = lab.variables;
  const env = {
    ...{ PATH: process.env['PATH'], HOME: process.env['HOME'] },
    ...{ TEMPORAL_NAMESPACE, MONGODB_DATABASE, DATA_DIR },
  };
  const words = ['--import', 'tsx', 'scripts/promote.ts', '--check'];
  const child = spawn(process.execPath, words, { cwd: fileURLToPath(packageRoot), env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  const [code] = await once(child, 'close');
  return { code: Number(code), output };
}

test('the check by hand uses the servers that npm start runs, and no others', async () => {
  const stateFile = join(lab.directory, 'engines.json');
  expect(await promoteCheck()).toMatchObject({
    ...{
      code: 1,
      output: expect.stringMatching(/^MONGODB_URI is not set, and npm start runs no mongodb for /),
    },
  });
  const { MONGODB_URI, TEMPORAL_ADDRESS } = lab.variables;
  await writeState(stateFile, [
    entryOf('mongodb', process.pid, { address: MONGODB_URI }),
    entryOf('temporal', process.pid, { address: TEMPORAL_ADDRESS }),
  ]);
  const { code, output } = await promoteCheck();
  expect(output).toMatch(/^\d+ open workflows continue with this release\.$/m);
  expect(code).toBe(0);
});

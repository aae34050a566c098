import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { domain } from '../../../shared/domain/areas.ts';
import { readSettings } from '../../../shared/domain/settings.ts';
import { prepareStore } from '../../../shared/domain/store-preparation.ts';
import { connectDatabase } from '../../../shared/kernel/database.ts';
import { connectEngine, engineAccess } from '../../../shared/kernel/engine/temporal.ts';
import { createLog } from '../../../shared/kernel/log.ts';
import { eventually, type Laboratory, oneStage, openLaboratory } from '../../support/laboratory.ts';
import { repetitions } from '../../support/repetitions.ts';
import { command, killSometime, succeeds, wholeBackups } from './commands.ts';

const ASKING = `export async function flow(session) {
  await session.approval({ question: 'Go on?', deadline_seconds: 86400, default: 'no' });
}`;

/** How often a restore is killed at a random moment, and the milliseconds within which the kills are. */
const KILLS = repetitions({ quick: 1, soak: 40 });
const RESTORE_TAKES = 5000;

let lab: Laboratory;
beforeAll(async () => {
  lab = await openLaboratory();
  await lab.startWorker();
});
afterAll(() => lab.close());

test('a backup of servers is restored without Temporal: open runs end, schedules are made again', async () => {
  const [done, open] = [await lab.newProject(), await lab.newProject()];
  const measured = await lab.startFlow(done, oneStage(['CheckT1'], ['0', '1']));
  await lab.ended(done.projectId, measured.execution_id);
  const asked = await lab.startFlow(open, ASKING);
  await eventually(async () => {
    const execution = await lab.areas.executions.store.get(open.projectId, asked.execution_id);
    return execution?.waiting?.kind === 'approval';
  });
  const schedule = await lab.schedule(open, { cron: '0 3 * * *' });

  const backups = join(lab.directory, 'backups');
  const said = await succeeds(command('main', lab.variables, '--to', backups));
  expect(said).toContain('Temporal is not part of this backup');

  const variables = {
    ...lab.variables,
    DATA_DIR: join(lab.directory, 'restored'),
    MONGODB_DATABASE: `${lab.variables.MONGODB_DATABASE}_restored`,
    TEMPORAL_NAMESPACE: `${lab.variables.TEMPORAL_NAMESPACE}_restored`,
  };
  // Nothing is restored into what the original works with.
  const served = { ...variables, TEMPORAL_NAMESPACE: lab.variables.TEMPORAL_NAMESPACE };
  expect(await command('restore-main', served, '--from', backups).ended).toMatchObject({
    code: 1,
    output: expect.stringMatching(/Workers serve the namespace .* stop them/),
  });
  const full = { ...variables, MONGODB_DATABASE: lab.variables.MONGODB_DATABASE };
  expect(await command('restore-main', full, '--from', backups).ended).toMatchObject({
    code: 1,
    output: expect.stringMatching(/already has a database .* nothing was changed/),
  });
  const settings = readSettings(variables);
  const database = await connectDatabase(settings.MONGODB_URI, settings.MONGODB_DATABASE);
  // Killed once the documents are there, and at random moments: nothing starts on what it left, and it can be repeated.
  const half = command('restore-main', variables, '--from', backups);
  await half.until(/documents of \d+ collections/);
  half.child.kill('SIGKILL');
  await half.ended;
  const store = { database, settings, log: createLog('test', 'SILENT') };
  await expect(prepareStore(store, {})).rejects.toThrow(/`npm run restore` to it was not finished/);
  for (let round = 0; round < KILLS; round += 1) {
    await killSometime(command('restore-main', variables, '--from', backups), RESTORE_TAKES, lab.directory);
    if (existsSync(join(variables.DATA_DIR, '.restoring'))) continue;
    // It was killed before it wrote anything, or once it was done.
    await rm(variables.DATA_DIR, { recursive: true, force: true });
    await database.db.dropDatabase();
  }
  const output = await succeeds(command('restore-main', variables, '--from', backups));
  expect(await wholeBackups(backups)).toHaveLength(1);
  await prepareStore(store, {});
  expect(output).toMatch(
    new RegExp(`run ${asked.execution_id} of project ${open.projectId}: .* Temporal does not know the run.`),
  );
  // A second restore does not touch what is there.
  const again = await command('restore-main', variables, '--from', backups).ended;
  expect(again).toMatchObject({ code: 1, output: expect.stringMatching(/is in use/) });

  const engine = connectEngine(await engineAccess(settings));
  const kernel = { db: database.db, engine, settings, log: createLog('test', 'SILENT') };
  const { areas, close } = domain.open(kernel);
  try {
    const before = await lab.areas.executions.store.get(done.projectId, measured.execution_id);
    expect(await areas.executions.store.get(done.projectId, measured.execution_id)).toEqual(before);
    const results = await areas.results.ofExecution(done.projectId, measured.execution_id);
    expect(results).toEqual(await lab.tasksOf(done.projectId, measured.execution_id));
    for (const path of results.flatMap(({ raw_data_path }) => raw_data_path)) {
      expect(existsSync(join(settings.CALIB_DATA_PATH, path))).toBe(true);
    }
    expect(await areas.executions.store.get(open.projectId, asked.execution_id)).toMatchObject({
      status: 'failed',
      message: expect.stringMatching(/^Ended by a restore of the backup of .* start it again with retry/),
    });
    const { state } = await engine.client.schedule.getHandle(schedule.schedule_id).describe();
    expect(state.paused).toBe(false);
  } finally {
    await close();
    await engine.close();
    await database.db.dropDatabase();
    await database.close();
  }
});

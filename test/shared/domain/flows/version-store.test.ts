import { afterAll, expect, test } from 'vitest';
import { createVersionStore } from '../../../../shared/domain/flows/version-store.ts';
import { connectDatabase } from '../../../../shared/kernel/database.ts';
import { newId } from '../../../../shared/kernel/new-ids.ts';
import { projectNamed } from '../../../support/ids.ts';

const database = await connectDatabase(
  process.env.CALIBRON_TEST_MONGODB ?? 'mongodb://unset',
  `versions_${newId().slice(0, 8)}`,
);
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});

test('the version that is current stays when old ones go, although others were saved after it', async () => {
  const versions = createVersionStore(database.db, 1);
  const version = {
    ...{
      project_id: projectNamed('lab'),
      name: 'many',
      source: '',
      javascript: '',
      function_name: 'many',
      author: 'ada',
    },
    created_at: new Date(1000),
  };
  const save = {
    ...{ saved_by: 'ada', description: '', chip_id: 'CHIP', flow_function_name: 'many', tags: [] },
    ...{ default_parameters: {}, default_run_parameters: {} },
  };
  const hashes = ['current', 'older', 'newer'];
  for (const [index, hash] of hashes.entries()) {
    const at = new Date(1000 + index);
    await versions.confirm({ ...version, hash }, { ...save, at });
  }
  await versions.removeOld(projectNamed('lab'), 'many', async () => 'current');
  const kept = await Promise.all(hashes.map((hash) => versions.version(projectNamed('lab'), 'many', hash)));
  expect(kept.map((each) => each?.hash)).toEqual(['current', undefined, 'newer']);
});

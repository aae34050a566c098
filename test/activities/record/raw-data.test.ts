import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { planTask } from '../../../activities/planning.ts';
import { createArtifactFiles } from '../../../activities/record/artifacts.ts';
import { newTaskRow } from '../../../activities/record/preparing.ts';
import { writeRawData } from '../../../activities/record/raw-data.ts';
import { NO_EXECUTION, NO_TASK } from '../../../shared/kernel/ids.ts';
import { SERVICE_VERSION } from '../../../shared/kernel/service-version.ts';
import { decodeNetcdf } from '../../../shared/science/datasets/netcdf.ts';
import { executionNamed, projectNamed, taskNamed } from '../../support/ids.ts';
import { runOf } from '../../support/laboratory.ts';
import { taskOf } from '../../support/measured.ts';

const time = { dims: ['time'], values: [8, 16], unit: 'ns', long_name: 'Waiting time' };
const dataset = {
  dims: { time: 2 },
  coordinates: { time },
  variables: { population: { ...time, values: [0.9, null], unit: '', long_name: 'Population' } },
};
const [begin, end] = [new Date('2026-03-01T12:00:00Z'), new Date('2026-03-01T12:00:05Z')];
const t1 = { value: 48.5, error: 0.75, unit: 'us' };

/** Keeps data of qubit 5 as a run would. @returns the file */
function keep(): Promise<string> {
  const root = mkdtempSync(join(process.env.CALIBRON_TEST_DIRECTORY ?? expect.fail('npm test'), 'raw-'));
  const run = {
    ...runOf({ projectId: projectNamed('project'), chipId: 'anemone' }, executionNamed('20260301-007')),
    epoch: 3,
    flow_run_id: 'd5f0c1de-5e1c-4c2b-9d3b-0f3d3c1c7a55',
  };
  const definition = taskOf('CheckT1');
  const { task: planned } = planTask(definition, [{ shots: 512 }]);
  const at = {
    run,
    stage: 0,
    target: '5',
    index: 2,
    task_id: taskNamed('task-id-of-t1'),
    upstream_id: NO_TASK,
  };
  const hpi = {
    parameter_name: 'hpi_amplitude',
    qid_role: '',
    required: true,
    value: 0.11,
    value_type: 'float',
  };
  const input = {
    ...hpi,
    unit: 'a.u.',
    error: 0.002,
    description: '',
    execution_id: NO_EXECUTION,
    task_id: NO_TASK,
  };
  const row = {
    ...newTaskRow(at, { definition, planned }, null, begin),
    input_parameters: { hpi_amplitude: input },
  };
  const outcome = {
    status: 'completed',
    message: 'CheckT1 is completed.',
    r2: 0.99,
    outputs: { t1 },
  } as const;
  return writeRawData(createArtifactFiles(root), { run, row }, { dataset, begin, end }, outcome);
}

test('a raw data file records the time, target and task of its measurement, its parameters and its result', async () => {
  const { attributes, dataset: read } = decodeNetcdf(readFileSync(await keep()));
  expect(read).toEqual(dataset);
  const { date_created, input_parameters, run_parameters, output_parameters, ...plain } = attributes;
  expect(plain).toEqual({
    title: 'CheckT1 of 5',
    source: `Calibron ${SERVICE_VERSION}`,
    format: 'calibron-dataset',
    format_version: 1,
    service_version: SERVICE_VERSION,
    task_name: 'CheckT1',
    task_type: 'qubit',
    task_id: 'task-id-of-t1',
    execution_id: '20260301-007',
    project_id: 'project',
    chip_id: 'anemone',
    qid: '5',
    backend: 'simulator',
    measurement_pass: 0,
    time_coverage_start: begin.toISOString(),
    time_coverage_end: end.toISOString(),
    status: 'completed',
    message: 'CheckT1 is completed.',
    r2: 0.99,
  });
  expect(Date.parse(String(date_created))).toBeGreaterThan(end.getTime());
  expect(JSON.parse(String(input_parameters))).toEqual({
    hpi_amplitude: { value: 0.11, error: 0.002, unit: 'a.u.' },
  });
  expect(JSON.parse(String(run_parameters))).toMatchObject({ shots: { value: 512 } });
  expect(JSON.parse(String(output_parameters))).toEqual({ t1 });
});

const xarray = spawnSync('python3', ['-c', 'import xarray, scipy']).status === 0;

test.runIf(xarray)('its parameters and times are read by xarray (where python3 has it)', async () => {
  const script = `
import json, sys, xarray
d = xarray.open_dataset(sys.argv[1], engine='scipy')
a = {k: v.decode() if isinstance(v, bytes) else v for k, v in d.attrs.items()}
print(json.dumps([a['time_coverage_start'], a['qid'], json.loads(a['output_parameters']), d.population.attrs['long_name'], d.time.attrs['units']]))`;
  const read: unknown = JSON.parse(
    execFileSync('python3', ['-c', script, await keep()], { encoding: 'utf8' }),
  );
  expect(read).toEqual([begin.toISOString(), '5', { t1 }, 'Population', 'ns']);
});

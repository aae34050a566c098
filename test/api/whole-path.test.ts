import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { executionDetail } from '../../shared/domain/executions/model.ts';
import { lineage, provenanceHistory } from '../../shared/domain/provenance/model.ts';
import { taskResult } from '../../shared/domain/results/model.ts';
import { startedRun } from '../../shared/domain/runs/model.ts';
import { executionIdSchema, taskIdSchema } from '../../shared/kernel/ids.ts';
import { decodeNetcdf } from '../../shared/science/datasets/netcdf.ts';
import { type LaboratoryApi, openLaboratoryApi } from '../support/laboratory-api.ts';
import { darkShare, decodePng } from '../support/png.ts';

let api: LaboratoryApi;
beforeAll(async () => {
  api = await openLaboratoryApi();
});
afterAll(() => api.close());

const hasXarray = spawnSync('python3', ['-c', 'import xarray, scipy']).status === 0;

test('a lab calibrates a chip over HTTP and reads result, figure, raw data, state and lineage', async () => {
  const { lab, base, ask } = api;
  await api.newProject('A16', ['0', '1']);
  await ask('/flows', {
    name: 'first_light',
    chip_id: 'A16',
    code: `export async function first_light(session) {
  const rabi = await session.run({ name: 'rabi', tasks: ['CheckRabi'], targets: session.targets.qubits(['0', '1']) });
  await session.run({ name: 't1', tasks: ['CheckT1'], targets: rabi.passed });
}
`,
  });
  const run = startedRun.parse(await (await ask('/flows/first_light/execute', { parameters: {} })).json());
  expect(run.flow_run_url).toContain(run.flow_run_id);
  const detail = await (async () => {
    for (;;) {
      const seen = executionDetail.parse(await (await ask(`/executions/${run.execution_id}`)).json());
      if (seen.status !== 'running' && seen.status !== 'scheduled') return seen;
      await wait(200);
    }
  })();
  expect(detail).toMatchObject({ status: 'completed', flow_name: 'first_light', chip_id: 'A16' });
  expect(detail.task.map((task) => [task.name, task.status]).sort()).toEqual([
    ['CheckRabi', 'completed'],
    ['CheckRabi', 'completed'],
    ['CheckT1', 'completed'],
    ['CheckT1', 'completed'],
  ]);
  const byRun = executionDetail.parse(await (await ask(`/executions/${run.flow_run_id}`)).json());
  expect(byRun.execution_id).toBe(run.execution_id);

  const t1Task = detail.task.find((task) => task.name === 'CheckT1' && task.qid === '0');
  const result = taskResult.parse(await (await ask(`/tasks/${t1Task?.task_id}/result`)).json());
  const t1 = result.output_parameters['t1'];
  const truth = lab.simulator.truth('A16', '0', new Date());
  expect(t1?.unit).toBe('us');
  expect(Number(t1?.value) / truth.t1).toBeGreaterThan(0.6);
  expect(Number(t1?.value) / truth.t1).toBeLessThan(1.6);

  const figure = await fetch(
    `${base}/executions/figure?path=${encodeURIComponent(result.figure_path[0] ?? '')}`,
  );
  expect(figure.headers.get('content-type')).toBe('image/png');
  const image = decodePng(new Uint8Array(await figure.arrayBuffer()));
  expect(image.width).toBeGreaterThan(600);
  expect(image.height).toBeGreaterThan(400);
  // The title is in the uppermost twelfth: dark pixels there mean that its letters were drawn.
  expect(darkShare(image, { left: 0, top: 0, right: 1, bottom: 1 / 12 })).toBeGreaterThan(0.005);
  const description = await fetch(
    `${base}/executions/artifact?path=${encodeURIComponent(result.json_figure_path[0] ?? '')}`,
  );
  expect(await description.json()).toMatchObject({ layout: { xaxis: { type: 'log' } } });

  const raw = await fetch(
    `${base}/executions/artifact?path=${encodeURIComponent(result.raw_data_path[0] ?? '')}`,
  );
  const bytes = Buffer.from(await raw.arrayBuffer());
  const { dataset } = decodeNetcdf(bytes);
  expect(dataset.dims['time']).toBe(51);
  expect(dataset.coordinates['time']).toMatchObject({ unit: 'ns' });
  if (hasXarray) {
    const file = join(lab.directory, 'raw.nc');
    await writeFile(file, bytes);
    const program =
      'import sys, xarray; d = xarray.open_dataset(sys.argv[1], engine="scipy"); print(d.sizes["time"], d["time"].attrs["units"])';
    const python = spawnSync('python3', ['-c', program, file], { encoding: 'utf8' });
    expect(python.stdout.trim()).toBe('51 ns');
  }

  const qubit = z
    .object({
      data: z.record(
        z.string(),
        z.looseObject({ value: z.number(), execution_id: executionIdSchema, task_id: taskIdSchema }),
      ),
    })
    .parse(await (await ask('/chips/A16/qubits/0')).json());
  expect(qubit.data['t1']).toMatchObject({
    value: t1?.value,
    execution_id: run.execution_id,
    task_id: t1Task?.task_id,
  });
  const latest = z
    .object({ result: z.record(z.string(), z.looseObject({ status: z.string() })) })
    .parse(await (await ask('/task-results/qubits/latest?chip_id=A16&task=CheckT1')).json());
  expect(
    Object.entries(latest.result)
      .map(([, entry]) => entry.status)
      .sort()
      .slice(0, 2),
  ).toEqual(['completed', 'completed']);

  const history = provenanceHistory.parse(
    await (await ask('/provenance/history?parameter_name=t1&qid=Q00')).json(),
  );
  expect(history.versions).toMatchObject([{ version: 1, task_name: 'CheckT1', chip_id: 'A16' }]);
  const origin = encodeURIComponent(history.versions[0]?.entity_id ?? '');
  const ancestors = lineage.parse(await (await ask(`/provenance/lineage/${origin}`)).json());
  expect(ancestors.nodes.some((node) => node.activity?.task_name === 'CheckT1')).toBe(true);
  expect(ancestors.nodes.some((node) => node.entity?.task_name === 'SeedImport')).toBe(true);
  expect((await fetch(`${api.base}/readyz`)).status).toBe(200);
});

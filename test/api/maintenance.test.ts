import { afterAll, beforeAll, expect, test } from 'vitest';
import { maintenanceGraphShown } from '../../shared/domain/maintenance/model.ts';
import type { ProjectId } from '../../shared/kernel/ids.ts';
import { type Api, expectError, type Person, read } from './harness.ts';
import { openProject } from './opened-project.ts';

const CHIP = 'KEPT';

let api: Api;
let owner: Person;
let project: ProjectId;

beforeAll(async () => {
  ({ api, owner, project } = await openProject());
  await api.as(owner, project)('/chips', { method: 'POST', body: { chip_id: CHIP, size: 4 } });
});
afterAll(() => api.close());

const ask = (path: string) => api.as(owner, project)(`/chips/${CHIP}/maintenance${path}`);

test('the graph of a chip tells which task finds a value, and what that task reads', async () => {
  const { nodes, edges, tasks } = read(maintenanceGraphShown, await ask('/graph'));
  const t1 = nodes.find(({ parameter_name }) => parameter_name === 't1');
  expect(t1).toMatchObject({ node_id: 'qubit/t1#1', task_name: 'CheckT1', unit: 'us', targets: 4 });
  const read_by_t1 = edges.filter(({ to }) => to === t1?.node_id).map(({ from }) => from.split('#')[0]);
  expect(read_by_t1).toEqual([
    'qubit/qubit_frequency',
    'qubit/hpi_amplitude',
    'qubit/hpi_length',
    'qubit/readout_frequency',
    'qubit/readout_amplitude',
    'qubit/readout_length',
  ]);
  const places = new Map(tasks.map(({ task_name, depth }) => [task_name, depth]));
  for (const { task_name, depth, depends_on } of tasks) {
    for (const before of depends_on) expect(places.get(before), task_name).toBeLessThan(depth);
  }
});

test('the graph is also available for Graphviz and as a picture', async () => {
  const dot = await ask('/graph/dot');
  expect(dot.headers['content-type']).toContain('text/vnd.graphviz');
  expect(dot.text).toContain('"CreateHPIPulse" -> "CheckT1" [tooltip="hpi_amplitude, hpi_length"];');
  const picture = await ask('/graph/picture');
  expect(picture.headers['content-type']).toContain('image/svg+xml');
  expect(picture.text).toMatch(/^<svg [\s\S]*>CheckT1<[\s\S]*<\/svg>\s*$/);
});

test('an unknown chip has no graph', async () => {
  for (const path of ['graph', 'graph/dot', 'graph/picture']) {
    expectError(await api.as(owner, project)(`/chips/NONE/maintenance/${path}`), 404, 'not_found');
  }
});

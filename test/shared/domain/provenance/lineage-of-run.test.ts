import { beforeAll, expect, test } from 'vitest';
import { activityId, entityId } from '../../../../shared/domain/provenance/rules.ts';
import type { TaskResultDocument } from '../../../../shared/domain/results/model.ts';
import { commonLaboratory } from '../../../support/common-laboratory.ts';
import { userNamed } from '../../../support/ids.ts';
import type { Laboratory } from '../../../support/laboratory.ts';

let lab: Laboratory;
beforeAll(async () => {
  lab = await commonLaboratory();
});

const code = `export async function flow(session) {
  const first = await session.run({
    name: 'first', tasks: ['CheckRabi', 'CheckT1'], targets: session.targets.qubits(['0', '1']),
  });
  await session.run({ name: 'second', tasks: ['CheckRabi'], targets: first.passed });
}
`;

const versionsOf = (task: TaskResultDocument) =>
  Object.keys(task.output_parameters).map((name) =>
    entityId(name, task.qid, task.execution_id, task.task_id),
  );

/** The versions that a task measured with, as its result tells. */
const usedBy = (task: TaskResultDocument) =>
  Object.entries(task.input_parameters)
    .filter(([, input]) => input.source === 'database' && input.task_id !== '')
    .map(([name, input]) =>
      entityId(input.parameter_name || name, task.qid, input.execution_id, input.task_id),
    );

test('the lineage of what a run found is what the run did, and its results carry the cool-down', async () => {
  const place = await lab.newProject();
  const { projectId, chipId } = place;
  const { provenance, cooldowns } = lab.areas;
  await cooldowns.cryostats.create(projectId, { cryo_id: 'CRYO' });
  await cooldowns.create(projectId, {
    cooldown_id: 'COLD',
    cryo_id: 'CRYO',
    started_at: new Date('2026-01-01'),
    chip_ids: [chipId],
  });
  await lab.setFaults({
    rules: [{ match: { project_id: projectId, targets: ['1'], task_name: 'CheckT1' }, behaviour: 'error' }],
  });
  const run = await lab.startFlow(place, code);
  expect((await lab.ended(projectId, run.execution_id)).status).toBe('completed');
  const tasks = await lab.tasksOf(projectId, run.execution_id);
  expect(tasks.map(({ qid, name, status }) => `${qid} ${name} ${status}`).sort()).toEqual([
    '0 CheckRabi completed',
    '0 CheckRabi completed',
    '0 CheckT1 completed',
    '1 CheckRabi completed',
    '1 CheckT1 failed',
  ]);

  // Each output was judged, and how is kept with it.
  for (const { output_parameters, gates = {} } of tasks) {
    expect(Object.keys(gates)).toEqual(Object.keys(output_parameters));
    for (const results of Object.values(gates)) {
      expect(results.map(({ rule, passed }) => [rule, passed])).toContainEqual(['finite', true]);
    }
  }

  /** Versions of each parameter in the order of their tasks. */
  const newest = new Map<string, string>();
  for (const task of [...tasks].sort((a, b) => a.stage - b.stage || a.index - b.index)) {
    const activity = activityId(task.name, task.execution_id, task.task_id);
    const found = versionsOf(task);
    if (task.status === 'failed') {
      expect(found).toEqual([]);
      continue;
    }
    expect(found.length).toBeGreaterThan(0);
    expect(usedBy(task).length).toBeGreaterThan(0);
    for (const version of found) {
      const lineage = await provenance.lineage(projectId, version, 2);
      const parameter = `${lineage?.origin.entity?.parameter_name} ${task.qid}`;
      const edges = (type: string, source: string) =>
        (lineage?.edges ?? [])
          .filter(({ relation_type, source_id }) => relation_type === type && source_id === source)
          .map(({ target_id }) => target_id)
          .sort();
      expect(edges('wasGeneratedBy', version)).toEqual([activity]);
      expect(edges('used', activity)).toEqual([...new Set(usedBy(task))].sort());
      const { versions } = await provenance.history(
        projectId,
        lineage?.origin.entity?.parameter_name ?? '',
        task.qid,
        10,
      );
      const number = lineage?.origin.entity?.version ?? 0;
      const before = versions.find((each) => each.version === number - 1);
      expect(edges('wasDerivedFrom', version)).toEqual(before ? [before.entity_id] : []);
      // A parameter that this run had found before is derived from that very version.
      if (newest.has(parameter)) expect(before?.entity_id).toBe(newest.get(parameter));
      newest.set(parameter, version);
    }
  }

  // What the second stage found was made from what the first one found.
  const second = tasks.find(({ stage }) => stage === 1);
  const first = tasks.filter(({ stage, qid }) => stage === 0 && qid === second?.qid).flatMap(versionsOf);
  const [version = ''] = second ? versionsOf(second) : [];
  const ancestors = await provenance.lineage(projectId, version, 20);
  expect(ancestors?.nodes.map(({ node_id }) => node_id)).toEqual(expect.arrayContaining([first[0]]));
  const impact = await provenance.impact(projectId, first[0] ?? '', 20);
  expect(impact?.nodes.map(({ node_id }) => node_id)).toContain(version);

  expect(new Set(tasks.map(({ cooldown_id }) => cooldown_id))).toEqual(new Set(['COLD']));
  const actor = { user_id: userNamed('usr_ada'), username: 'ada' };
  await cooldowns.change(projectId, 'COLD', { ended_at: new Date('2026-06-01') }, actor);
  await lab.free(projectId);
  const later = await lab.startTask(place, 'CheckT1', '0');
  await lab.ended(projectId, later.execution_id);
  const [warm] = await lab.tasksOf(projectId, later.execution_id);
  expect(warm?.cooldown_id).toBeNull();
  const before = await lab.tasksOf(projectId, run.execution_id);
  expect(new Set(before.map(({ cooldown_id }) => cooldown_id))).toEqual(new Set(['COLD']));
});

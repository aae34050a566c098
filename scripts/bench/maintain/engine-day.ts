import { seedQubits } from '../../../shared/domain/chips/index.ts';
import { maintenanceDecisionQuery } from '../../../shared/domain/maintenance/model.ts';
import type { WindowSettings } from '../../../shared/domain/maintenance/window-rules.ts';
import type { ExecutionId, ProjectId } from '../../../shared/kernel/ids.ts';
import { randomFrom } from '../../../shared/science/device/random.ts';
import type { Laboratory as Engines } from '../../../test/support/laboratory.ts';
import { type BenchChip, HOUR_MS, START } from './chip.ts';
import { createLaboratory, TASKS } from './laboratory.ts';
import { instrumentOf } from './measuring.ts';
import { maintainHour } from './policies.ts';

/** A decision as both ways of running write it: hour, target, task, decision, outcome of a check, and reason without numbers. */
export type DecisionLine = string;

/** Collections whose times say when values were found and checked. */
const AGEING = [
  'qubits',
  'chips',
  'provenance_entities',
  'provenance_activities',
  'provenance_heads',
  'task_results',
] as const;
/**
 * A run may begin later after it was requested than the one that found a value. As values are found after the hour, a window of
 * whole hours must not have passed for that.
 */
const LATE_MS = 5000;
/** Longest that the measurements of an hour may take. */
const SECONDS = 3000;

function line(
  hour: number,
  {
    target,
    task,
    decision,
    reason,
    outcome,
  }: { target: string; task: string; decision: string; reason: string; outcome: string | undefined },
): DecisionLine {
  const kind = reason.replaceAll(/(?<![A-Za-z_])[-+]?\d[\d.:TZe+-]*/g, '#');
  return [`${hour} h`, target, task, decision, ...(outcome ? [outcome] : []), kind].join(' | ');
}

/** Lets the planner work at these hours without engines and store, with the noise that the simulator has there. */
export function decidedAlone(
  chip: BenchChip,
  hours: readonly number[],
  { settings, noiseSeed }: { settings: WindowSettings; noiseSeed: string },
): DecisionLine[] {
  const instrument = instrumentOf(chip, ({ qid, task }, { pass }, purpose) =>
    randomFrom(...[chip.seed, qid, task, noiseSeed, 1], ...(pass > 1 ? [pass] : []), purpose),
  );
  const lab = createLaboratory(chip, settings, { instrument });
  return hours.flatMap((hour) =>
    maintainHour(lab, hour).decisions.map(({ node, decision, reason, check }) => {
      const [task = '', target = ''] = node.split(' ');
      return line(hour, { target, task, decision, reason, outcome: check?.outcome });
    }),
  );
}

/**
 * Lets runs of a flow do the same on Temporal and the store, with the simulator as their instrument. The clock of the device
 * is set for each run; between two runs all that is stored becomes older by the hours between them, less what the run before took.
 */
export async function decidedByRuns(
  chip: BenchChip,
  hours: readonly number[],
  lab: Pick<
    Engines,
    | 'newProject'
    | 'seedStores'
    | 'simulator'
    | 'setFaults'
    | 'startFlow'
    | 'ended'
    | 'free'
    | 'areas'
    | 'database'
  >,
): Promise<DecisionLine[]> {
  const place = await lab.newProject({ blank: true, chipId: chip.seed });
  const at = new Date(START);
  await seedQubits(
    lab.seedStores,
    { project_id: place.projectId, chip_id: place.chipId },
    new Map(chip.qids.map((qid) => [qid, lab.simulator.startValues(chip.seed, qid, at)])),
  );
  const lines: DecisionLine[] = [];
  let last = hours[0] ?? 0;
  let began = Date.now();
  for (const hour of hours) {
    const between = (hour - last) * HOUR_MS;
    await age(lab, place.projectId, Math.max(0, between - (Date.now() - began) - LATE_MS));
    last = hour;
    began = Date.now();
    await lab.setFaults({
      rules: [],
      phenomena: [{ phenomenon: 'device_drift', size: 1, chip_id: chip.seed }],
      incidents: chip.faults.map(({ atHour: _, ...incident }) => incident),
      clock: { device: new Date(START + hour * HOUR_MS).toISOString(), rate: 0 },
    });
    const { execution_id } = await lab.startFlow(place, flowOf(chip.qids));
    const { status } = await lab.ended(place.projectId, execution_id);
    if (status !== 'completed') throw new Error(`The maintenance of hour ${hour} is ${status}.`);
    await lab.free(place.projectId);
    lines.push(...(await decisionsOf(lab, { project_id: place.projectId, execution_id }, hour)));
  }
  return lines;
}

function flowOf(qids: readonly string[]): string {
  const request = { targets: qids, tasks: TASKS, seconds: SECONDS, mode: 'serial' };
  return `export async function flow(session) {
  await session.maintain(${JSON.stringify(request)});
}
`;
}

/** What a run decided: where something did not hold at its start, and all that followed. */
async function decisionsOf(
  { areas }: Pick<Engines, 'areas'>,
  run: { project_id: ProjectId; execution_id: ExecutionId },
  hour: number,
): Promise<DecisionLine[]> {
  const query = maintenanceDecisionQuery.parse({ limit: '500' });
  const { items, total } = await areas.maintenance.decisions(run, query);
  if (total > items.length) throw new Error(`The maintenance of hour ${hour} made ${total} decisions.`);
  return items
    .filter(({ phase, decision }) => phase === 'run' || (phase === 'start' && decision !== 'holds'))
    .flatMap(({ targets, task_name: task, decision, reason, check }) =>
      targets.map((target) => line(hour, { target, task, decision, reason, outcome: check?.outcome })),
    );
}

/** Makes all that is stored of a project older. */
async function age({ database }: Pick<Engines, 'database'>, projectId: ProjectId, ms: number): Promise<void> {
  if (ms === 0) return;
  for (const name of AGEING) {
    const collection = database.db.collection<{ _id: string }>(name);
    const all = await collection.find({ _id: { $regex: `^${projectId}` } }).toArray();
    for (const { _id, ...content } of all) await collection.replaceOne({ _id }, older(content, ms));
  }
}

/** The same with earlier times. */
function older<Content>(content: Content, ms: number): Content;
function older(content: unknown, ms: number): unknown {
  if (content instanceof Date) return new Date(content.getTime() - ms);
  if (Array.isArray(content)) return content.map((each) => older(each, ms));
  if (content === null || typeof content !== 'object') return content;
  return Object.fromEntries(
    Object.entries(content).map(([name, value]) => [
      name,
      name === 'calibrated_at' && typeof value === 'string'
        ? new Date(new Date(value).getTime() - ms).toISOString()
        : older(value, ms),
    ]),
  );
}

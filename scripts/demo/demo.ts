import { createSimulator } from '../../activities/backends/simulator/simulator.ts';
import { user } from '../../shared/domain/accounts/model.ts';
import type { Areas } from '../../shared/domain/areas.ts';
import { seedQubits } from '../../shared/domain/chips/index.ts';
import { chip, qubitList } from '../../shared/domain/chips/model.ts';
import { executionDetail, executionList } from '../../shared/domain/executions/model.ts';
import { isEndStatus } from '../../shared/domain/executions/status-rules.ts';
import {
  flowDetail,
  flowTemplateDetail,
  savedFlowAnswer,
} from '../../shared/domain/flows/saved-flow-model.ts';
import { projectList } from '../../shared/domain/projects/model.ts';
import { startedRun } from '../../shared/domain/runs/model.ts';
import { flowRunUrl } from '../../shared/domain/runs/wire.ts';
import type { Settings } from '../../shared/domain/settings.ts';
import type { ExecutionId, ProjectId } from '../../shared/kernel/ids.ts';
import type { Screen } from '../start/screen.ts';
import { table } from '../start/table.ts';
import type { Client } from './client.ts';
import { showProgress } from './display.ts';
import { watchExecution } from './watch.ts';

const CHIP_ID = 'DEMO-16';
const CHIP_SIZE = 16;
const FLOW = 'demo';
/** With this key, a start after an interrupted one gets the same run again instead of a second one. */
const IDEMPOTENCY_KEY = 'first-demonstration';
/** The newest execution determines whether there is anything to show. */
const NEWEST = `/executions?chip_id=${CHIP_ID}&limit=1`;

export interface Demonstration {
  projectId: ProjectId;
  /** The run to show; null if there is none, or if it ended during an earlier start. */
  executionId: ExecutionId | null;
  /** Whether an earlier `npm start` started the run and it still continues. */
  resumed: boolean;
}

/** What the demonstration needs besides the HTTP API. */
export interface DemoContext {
  areas: Pick<Areas, 'chips' | 'provenance' | 'runs' | 'executions' | 'results'>;
  settings: Settings;
  api: string;
  temporalUi: string;
  /** The administrator's password, if this start created it. */
  password: string | null;
}

/** The demonstration of an earlier start, null if there is none. */
export async function findDemonstration(client: Client): Promise<Demonstration | null> {
  for (const projectId of await ownProjects(client)) {
    if (await client.find(`/chips/${CHIP_ID}`, chip, { projectId })) {
      return { projectId, executionId: null, resumed: false };
    }
  }
  return null;
}

/** The administrator's own projects, the default one first. */
async function ownProjects(client: Client): Promise<ProjectId[]> {
  const { user_id, default_project_id } = await client.ask('/auth/me', user);
  const { projects } = await client.ask('/projects', projectList);
  const owned = projects.filter((each) => each.owner_user_id === user_id).map((each) => each.project_id);
  return owned.sort((a, b) => Number(b === default_project_id) - Number(a === default_project_id));
}

/**
 * Creates chip, start values, flow and the first run, or whatever is missing, because an earlier start may
 * have been interrupted at any point. Existing data is not changed.
 */
export async function prepareDemonstration(client: Client, context: DemoContext): Promise<Demonstration> {
  const found = await findDemonstration(client);
  const projectId = found?.projectId ?? (await ownProjects(client))[0];
  if (projectId === undefined) throw new Error('the administrator has no project for it');
  const newest = await client.ask(NEWEST, executionList, { projectId });
  const [last] = newest.executions;
  if (last) {
    return { projectId, executionId: isEndStatus(last.status) ? null : last.execution_id, resumed: true };
  }

  await prepareChip(client, projectId);
  await seed(client, projectId, context);
  await prepareFlow(client, projectId);
  const run = await client.ask(`/flows/${FLOW}/execute`, startedRun, {
    method: 'POST',
    projectId,
    body: {},
    headers: { 'idempotency-key': IDEMPOTENCY_KEY },
  });
  return { projectId, executionId: run.execution_id, resumed: false };
}

async function prepareChip(client: Client, projectId: string): Promise<void> {
  if (await client.find(`/chips/${CHIP_ID}`, chip, { projectId })) return;
  await client.ask('/chips', chip, {
    method: 'POST',
    projectId,
    body: { chip_id: CHIP_ID, size: CHIP_SIZE },
  });
}

async function prepareFlow(client: Client, projectId: string): Promise<void> {
  if (await client.find(`/flows/${FLOW}`, flowDetail, { projectId })) return;
  const template = await client.ask('/flows/templates/demo', flowTemplateDetail);
  await client.ask('/flows', savedFlowAnswer, {
    method: 'POST',
    projectId,
    body: {
      name: FLOW,
      code: template.code,
      flow_function_name: template.function_name,
      description: template.description,
      chip_id: CHIP_ID,
      tags: ['demo'],
    },
  });
}

/** Stores start values for qubits without any, as a bring-up would. */
async function seed(client: Client, projectId: ProjectId, { areas, settings }: DemoContext): Promise<void> {
  const { qubits } = await client.ask(`/chips/${CHIP_ID}/qubits?limit=${CHIP_SIZE}`, qubitList, {
    projectId,
  });
  const blank = qubits.filter(({ data }) => Object.keys(data).length === 0);
  if (blank.length === 0) return;
  const simulator = createSimulator(settings.SIMULATOR_SEED ? { seed: settings.SIMULATOR_SEED } : {});
  const now = new Date();
  await seedQubits(
    {
      state: areas.chips.state,
      provenance: areas.provenance,
      lastEpoch: areas.runs.locks.lastEpoch,
      timezone: settings.TIMEZONE,
    },
    { project_id: projectId, chip_id: CHIP_ID },
    new Map(blank.map(({ qid }) => [qid, simulator.startValues(CHIP_ID, qid, now)])),
  );
}

/** Shows the run until it ends, then prints where to find the results. Does nothing if there is no run to show. */
export async function showDemonstration(
  client: Client,
  demonstration: Demonstration,
  context: DemoContext,
  { screen, signal }: { screen: Screen; signal: AbortSignal },
): Promise<void> {
  const { projectId, executionId, resumed } = demonstration;
  if (executionId === null) return;
  screen.line(
    resumed
      ? `The calibration of ${CHIP_ID} that was interrupted continues, execution ${executionId}:`
      : `Calibrating the simulated chip ${CHIP_ID} (${CHIP_SIZE} qubits), execution ${executionId}:`,
  );
  const watched = watchExecution(context.areas, projectId, executionId, signal);
  await showProgress(screen, watched);
  if (signal.aborted) return;
  for (const line of await whereToLook(client, projectId, executionId, context)) screen.line(line);
}

async function whereToLook(
  client: Client,
  projectId: ProjectId,
  executionId: ExecutionId,
  { api, settings, temporalUi, password }: DemoContext,
): Promise<string[]> {
  const execution = await client.ask(`/executions/${executionId}`, executionDetail, { projectId });
  const figures = execution.task.flatMap((task) => task.figure_path);
  const [figure] = execution.task.findLast((task) => task.status === 'completed')?.figure_path ?? figures;
  const run = flowRunUrl(
    { engineUrl: temporalUi, namespace: settings.TEMPORAL_NAMESPACE },
    { project_id: projectId, execution_id: executionId },
    `${execution.note.flow_run_id}`,
  );
  const login = `curl -s ${api}/auth/login -d username=${settings.ADMIN_USERNAME} -d password=${password ?? '...'}`;
  const token = `node -pe 'JSON.parse(fs.readFileSync(0)).access_token'`;
  const rows: [string, string][] = [
    [
      'a figure',
      figure === undefined ? 'none was drawn' : `${api}/executions/figure?path=${encodeURIComponent(figure)}`,
    ],
    ['the run in Temporal', run],
    ['a token', `TOKEN=$(${login} | ${token})`],
    [
      'all results',
      `curl -s -H "Authorization: Bearer $TOKEN" -H "X-Project-Id: ${projectId}" ${api}/executions/${executionId}`,
    ],
    [
      'run it again',
      `curl -s -H "Authorization: Bearer $TOKEN" -H "X-Project-Id: ${projectId}" -H 'content-type: application/json' -d '{}' ${api}/flows/${FLOW}/execute`,
    ],
  ];
  return ['', 'Where to look:', ...table(rows), ''];
}

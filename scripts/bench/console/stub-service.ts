import Fastify, { type FastifyReply } from 'fastify';
import { consolePages } from '../../../api/console/pages.ts';
import { NO_TASK } from '../../../shared/kernel/ids.ts';
import { generatedTopology } from '../../../shared/science/topology/rules.ts';
import { taskNamed } from '../../../test/support/ids.ts';

const PROJECT = 'project';
const EXECUTION = '20260101-000';
const NOW = '2026-01-01T00:00:00.000Z';
const TASKS = [
  'CheckRabi',
  'CreateHPIPulse',
  'CheckHPIPulse',
  'CreatePIPulse',
  'CheckPIPulse',
  'CheckT1',
  'CheckT2Echo',
  'CheckRamsey',
  'CreateDRAGHPIPulse',
  'CheckDRAGHPIPulse',
  'CreateDRAGPIPulse',
  'CheckDRAGPIPulse',
  'ReadoutClassification',
  'RandomizedBenchmarking',
] as const;

const T1 = {
  title: 'T1',
  unit: 'μs',
  scale: 1,
  description: '',
  evaluation: { mode: 'maximize' },
  threshold: null,
};

export interface StubService {
  /** Address of the console. */
  address: string;
  /** From now on a run goes on whose tasks end one after another. @param perMinute how many */
  startRun(perMinute: number): void;
  /** Ends that many further tasks of the run at once. @returns how many have ended until now, as the page will say */
  hurry(count: number): number;
  close(): Promise<void>;
}

/**
 * The console's pages as the API serves them, over answers that are made up: a chip of that many qubits and a run with
 * live events. Answers cost nearly nothing, so that what is measured is the browser's work.
 */
export async function openStubService(qubits: number): Promise<StubService> {
  const topologyId = `square-lattice-mux-${qubits}`;
  const topology = generatedTopology(topologyId);
  if (!topology) throw new Error(`There is no topology ${topologyId}.`);
  const qids = Object.keys(topology.qubits);
  const tasks = TASKS.flatMap((name) =>
    qids.map((qid) => ({ task_id: `${name}-${qid}`, name, qid, message: '', start_at: NOW })),
  );
  const values = Object.fromEntries(qids.map((qid) => [qid, 40 + 20 * Math.sin(Number(qid))]));

  const app = Fastify();
  await app.register(consolePages, { settings: { CONSOLE: 'on', CLIENT_URL: '', PUBLIC_URL: undefined } });
  let isSignedIn = false;
  let run: { begun: number; perMinute: number } | null = null;
  let hurried = 0;
  const ended = () =>
    run === null ? 0 : hurried + Math.floor(((Date.now() - run.begun) * run.perMinute) / 60_000);

  const answers: Record<string, () => unknown> = {
    '/projects': () => ({ projects: [{ project_id: PROJECT, name: 'Lab', owner_user_id: 'user' }] }),
    [`/projects/${PROJECT}/members`]: () => ({ members: [{ user_id: 'user', role: 'owner' }] }),
    '/chips': () => ({
      chips: [
        {
          chip_id: 'CHIP',
          size: qubits,
          topology_id: topologyId,
          activity_status: 'active',
          qubit_count: qubits,
          coupling_count: topology.couplings.length,
        },
      ],
    }),
    [`/topology/${topologyId}`]: () => ({ data: topology }),
    '/metrics/config': () => ({ qubit_metrics: { t1: T1 }, coupling_metrics: {} }),
    '/executions/lock-status': () => ({
      lock: run !== null,
      execution_id: run && EXECUTION,
      chip_id: run && 'CHIP',
      name: run && 'live',
      status: null,
    }),
    [`/executions/${EXECUTION}`]: () => {
      // A run of the tasks again and again, so that the last event of the hour colours the chip as the first one did.
      const done = ended() % tasks.length;
      return {
        name: 'live',
        execution_id: EXECUTION,
        status: 'running',
        message: null,
        flow_name: 'live',
        user_id: 'user',
        username: 'user',
        start_at: NOW,
        end_at: null,
        elapsed_time: null,
        note: {},
        tags: [],
        chip_id: 'CHIP',
        flow_run_state: 'RUNNING',
        waiting: null,
        preempts: null,
        preempted_by: null,
        flow_run_url: null,
        log: [],
        task: tasks.map((task, index) => ({
          ...task,
          end_at: null,
          status: index < done ? 'completed' : 'running',
        })),
      };
    },
    [`/executions/${EXECUTION}/stages`]: () => ({ stages: [], total: 0, skip: 0, limit: 100 }),
    '/flows/schedules': () => ({ schedules: [], total: 0 }),
    '/approvals': () => ({ approvals: [] }),
    '/task-results': () => ({ items: [], total: 0, skip: 0, limit: 5, status_counts: {} }),
    '/task-files/settings': () => ({ default_backend: 'simulator' }),
    '/task-files/tasks': () => ({ tasks: TASKS.map((name) => ({ name })) }),
    '/chips/CHIP/metrics/heatmap/t1': () => ({
      chip_id: 'CHIP',
      metric: 't1',
      values,
      unit: 'us',
      errors: Object.fromEntries(qids.map((qid) => [qid, 1])),
      calibrated_at: Object.fromEntries(qids.map((qid) => [qid, NOW])),
    }),
  };
  app.get('/console/api/auth/me', (_request, reply) =>
    isSignedIn
      ? { user_id: 'user', username: 'user', display_name: null, default_project_id: PROJECT }
      : reply.code(401).send({ code: 'not_authenticated', detail: 'Sign in.' }),
  );
  app.addContentTypeParser('application/x-www-form-urlencoded', (_request, payload, done) => {
    payload.resume();
    done(null);
  });
  app.post('/console/api/auth/login', () => {
    isSignedIn = true;
    return { access_token: '', token_type: 'bearer' };
  });
  const listeners = new Set<ReturnType<typeof setInterval>>();
  app.get(`/console/api/executions/${EXECUTION}/events`, (_request, reply) => {
    reply.hijack();
    reply.raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    listeners.add(sendEvents(reply, tasks, ended));
  });
  app.get('/console/api/*', (request, reply) => {
    const path = new URL(request.url, 'http://stub').pathname.slice('/console/api'.length);
    const answer = answers[path];
    return answer ? answer() : reply.code(404).send({ code: 'not_found', detail: `No ${path} here.` });
  });
  const base = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    address: `${base}/console/`,
    startRun(perMinute) {
      run = { begun: Date.now(), perMinute };
    },
    hurry(count) {
      hurried += count;
      return ended();
    },
    async close() {
      for (const each of listeners) clearInterval(each);
      app.server.closeAllConnections();
      await app.close();
    },
  };
}

/** Events of tasks for each one of the progress. */
export const PROGRESS_EVERY = 10;
/** Tasks of the largest run that the service plans. */
const PLANNED = 200_000;
/** Milliseconds between two checks which tasks have ended. */
const TICK_MS = 20;

function sendEvents(
  reply: FastifyReply,
  tasks: readonly { task_id: string; name: string; qid: string }[],
  ended: () => number,
): ReturnType<typeof setInterval> {
  let sent = ended();
  return setInterval(() => {
    for (const last = ended(); sent < last; sent++) {
      const { task_id, name, qid } = tasks[sent % tasks.length] ?? {
        task_id: NO_TASK,
        name: '',
        qid: '',
      };
      const failed = sent % 37 === 0;
      const event = {
        type: 'task',
        task_id: taskNamed(task_id),
        task_name: name,
        qid,
        message: failed ? 'r2 is too small' : '',
        status: failed ? 'failed' : 'completed',
      };
      reply.raw.write(`id: ${sent}\ndata: ${JSON.stringify(event)}\n\n`);
      if (sent % PROGRESS_EVERY > 0) continue;
      const progress = { type: 'progress', done: sent, failed: 0, skipped: 0, total: PLANNED };
      reply.raw.write(`data: ${JSON.stringify({ ...progress, stage: 'live', estimated_end: null })}\n\n`);
    }
  }, TICK_MS);
}

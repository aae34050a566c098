import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../shared/kernel/new-ids.ts';
import type { Fate, ProxiedCommand } from '../support/mongo-proxy.ts';
import { type Creation, countOf, openPlace, type Place } from './creations.ts';
import { creationsOfPeople } from './creations-of-people.ts';
import { creationsOfRuns } from './creations-of-runs.ts';
import type { Answer } from './harness.ts';

const creations = [...creationsOfPeople, ...creationsOfRuns].map((creation) => ({
  ...creation,
  title: creation.what === undefined ? creation.route : `${creation.route} (${creation.what})`,
}));

/** Routes with POST or PUT that create nothing in the store, by the reason. */
const createsNothing: Readonly<Record<string, readonly string[]>> = {
  'changes what is there': [
    'PUT /admin/users/{username}',
    'POST /auth/change-password',
    'POST /auth/reset-password',
    'POST /auth/second-factor',
    'POST /auth/second-factor/confirm',
    'POST /auth/second-factor/remove',
    'POST /auth/reset-second-factor',
    'POST /auth/passkeys',
    'POST /auth/passkeys/confirm',
    'POST /auth/passkeys/remove',
    'POST /auth/passkeys/sign-in',
    'POST /auth/tokens/{token_id}/rotate',
    'POST /projects/{project_id}/transfer',
    'POST /calibrations/manual-edits/{edit_id}/undo',
    'POST /flows/{name}/versions/{version_id}/restore',
    'POST /cooldowns/{cooldown_id}/chips/{chip_id}',
    'PUT /chips/{chip_id}/qubits/{qid}/note/comments/{comment_id}',
    'PUT /chips/{chip_id}/couplings/{coupling_id}/note/comments/{comment_id}',
    'POST /executions/{flow_run_id}/cancel',
    'POST /executions/{execution_id}/pause',
    'POST /executions/{execution_id}/resume',
    'POST /executions/{execution_id}/stop',
    'POST /approvals/{approval_id}',
    'POST /agent-sessions/{session_id}/resume',
    'POST /agent-sessions/{session_id}/cancel',
    'POST /agent-sessions/{session_id}/commits/{commit_id}/apply',
    'POST /task-results/{task_id}/exclude',
    'POST /task-results/ai-review/runs/{review_run_id}/cancel',
    'PUT /api/menu/{name}',
    'PUT /projects/{project_id}/retention',
  ],
  'fills one of five slots': ['POST /api/calibration/cron-schedule'],
  'the gate lets one in at a time': [
    'POST /admin/system-updates',
    'POST /admin/system-updates/{operation_id}/cancel',
  ],
  'issues or ends a token': [
    'POST /auth/login',
    'POST /auth/logout',
    'POST /auth/oidc/logout',
    'POST /auth/oidc/backchannel-logout',
    'POST /api/auth/login',
    'POST /api/auth/logout',
  ],
  'writes files or a repository': [
    'PUT /files/content',
    'PUT /task-files/content',
    'PUT /measurements/{task_id}/files/{name}',
    'POST /files/git/pull',
    'POST /files/git/push',
    'POST /issue-knowledge/{knowledge_id}/export',
  ],
  'reads or computes': [
    'POST /admin/config/reload',
    'POST /files/validate',
    'POST /projects/{project_id}/retention/preview',
    'POST /metrics/chips/{chip_id}/metrics/pdf',
    'POST /device-topology',
    'POST /device-topology/plot',
    'POST /api/device_topology',
    'POST /api/device_topology/plot',
    'POST /executions/check-availability',
    'POST /agent-sessions/{session_id}/candidate-gate',
    'POST /task-results/figures/download',
    'POST /chips/{chip_id}/qubits/{qid}/reanalyze/resonator-spectroscopy',
    'POST /chips/{chip_id}/qubits/{qid}/reanalyze/qubit-spectroscopy',
    'POST /task-results/{task_id}/reanalyze',
    'POST /copilot/analyze',
    'POST /copilot/analyze/stream',
    'POST /copilot/chat',
    'POST /copilot/chat/stream',
    'POST /flows/{name}/agent/codex',
    'POST /flows/{name}/agent/codex/stream',
  ],
};

/** Loses the answer of one of the writes that a request makes. @param which counts from 0 */
function losing(which: number, isWrite: (command: ProxiedCommand) => string | null) {
  const writes = new Set<string>();
  let lost = false;
  return {
    happened: () => lost,
    decide(command: ProxiedCommand): Fate {
      const key = isWrite(command);
      if (key === null || writes.has(key)) return 'pass';
      writes.add(key);
      if (writes.size !== which + 1) return 'pass';
      lost = true;
      return 'lose';
    },
  };
}

/** Identifies a write that the driver may repeat; null for other commands. */
function retryable({ body }: ProxiedCommand): string | null {
  return body['txnNumber'] === undefined ? null : `${body['lsid'].id.toString('hex')} ${body['txnNumber']}`;
}

const isWrite = ({ name }: ProxiedCommand) => /^(?:insert|update|delete|findAndModify)$/.test(name);
const isOfStore = ({ name }: ProxiedCommand) => !/^(?:hello|ismaster|endSessions)$/i.test(name);

/** Asks for a creation while the proxy decides so. @returns the answer, and how many things it made */
async function createUnder(
  place: Place,
  creation: Creation,
  decide: (command: ProxiedCommand) => Fate,
): Promise<{ answer: Answer; made: number }> {
  const request = await creation.prepare(place, `n-${newId().slice(0, 8)}`);
  const before = await countOf(place, creation);
  place.proxy.decide(decide);
  const answer = await request();
  place.proxy.decide();
  await creation.finish?.(place);
  return { answer, made: (await countOf(place, creation)) - before };
}

/** Asks for a creation while an answer is lost, and expects it to succeed once. @returns whether one was lost */
async function createWithLoss(
  place: Place,
  creation: Creation,
  which: number,
  isWrite: (command: ProxiedCommand) => string | null,
): Promise<boolean> {
  const loss = losing(which, isWrite);
  const { answer, made } = await createUnder(place, creation, loss.decide);
  const isMade = answer.status >= 200 && answer.status < 300;
  expect({ made, isMade }, `write ${which}: ${answer.status} ${answer.text}`).toEqual({
    made: 1,
    isMade: true,
  });
  return loss.happened();
}

describe.each([true, false])('with a replica set: %s', (replicaSet) => {
  let place: Place;
  beforeAll(async () => {
    place = await openPlace(replicaSet);
  });
  afterAll(() => place.close());

  if (replicaSet) {
    test('every route with POST or PUT creates something here, or says why not', async () => {
      const routes = place.api.server.knownRoutes
        .all()
        .filter(({ method }) => method === 'POST' || method === 'PUT')
        .map(({ method, url }) => `${method} ${url.replaceAll(/:([a-z_]+)/g, '{$1}')}`);
      const known = new Set([
        ...creations.map(({ route }) => route).filter((route) => !route.startsWith('PATCH')),
        ...Object.values(createsNothing).flat(),
      ]);
      expect([...known].sort()).toEqual(routes.sort());
    });

    test.each(creations)(
      '$title makes one thing, whichever of its writes loses its answer',
      async (creation) => {
        let writes = 0;
        while (await createWithLoss(place, creation, writes, retryable)) writes += 1;
        expect(writes).toBeGreaterThan(0);
      },
    );
  } else {
    const keyed = creations.filter(({ named }) => !named);
    test.each(keyed)(
      '$title makes one thing when the write that makes it loses its answer',
      async (creation) => {
        const { collection, command = 'insert' } = creation;
        const isCreation = (each: ProxiedCommand) =>
          each.name === command && each.collection === collection ? collection : null;
        expect(await createWithLoss(place, creation, 0, isCreation)).toBe(true);
      },
    );
  }

  test.each(creations)(
    '$title answers 503 when from one of its writes on no answer arrives',
    async (creation) => {
      for (let answered = 0, isOver = false; !isOver; answered += 1) {
        let writes = 0;
        const { answer, made } = await createUnder(place, creation, (command) => {
          if (isWrite(command)) writes += 1;
          return writes > answered && isOfStore(command) ? 'lose' : 'pass';
        });
        isOver = writes <= answered;
        if (answer.status >= 300) expect(answer, `after ${answered} writes`).toMatchObject({ status: 503 });
        expect(made).toBeLessThanOrEqual(1);
      }
    },
  );
});

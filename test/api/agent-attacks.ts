import { z } from 'zod';
import { type AgentDesk, agentDesk } from './agents.ts';
import { type Answer, type Person, startApi } from './harness.ts';
import { makeLaboratory } from './laboratory.ts';

/** A session with an action on its way and a result to commit. */
export interface Scene {
  session_id: string;
  /** Authorized and not run. */
  action_id: string;
  measured: Awaited<ReturnType<AgentDesk['measured']>>;
}

export interface Attack {
  name: string;
  with(given: Scene): Promise<Answer>;
  gets: (string | number)[];
}

export const invalid = [422, 'invalid_input'];

export type AttackWorld = Awaited<ReturnType<typeof openAttackWorld>>;

/** A laboratory with an agent of an editor in it, and others who would like to act in its session. */
export async function openAttackWorld() {
  const api = await startApi({ engine: 'prepared' });
  const people = [api.makePerson(), api.makePerson(), api.makePerson(), api.makePerson()] as const;
  const [owner, editor, viewer, other]: readonly Person[] = await Promise.all(people);
  if (!owner || !editor || !viewer || !other) throw new Error('somebody is missing');
  const laboratory = await makeLaboratory(api, owner, viewer);
  await api.addMember(laboratory.project, editor, 'editor');
  await api.addMember(laboratory.project, other, 'editor');
  const desk = agentDesk(api, laboratory.project, editor);
  return {
    api,
    laboratory,
    editor,
    desk,
    /** What another editor, and the owner, do in the same project. */
    stranger: agentDesk(api, laboratory.project, other),
    asOwner: agentDesk(api, laboratory.project, owner),

    async scene(): Promise<Scene> {
      const { session_id } = await desk.open();
      const measured = await desk.measured(session_id);
      const { action_id } = await desk.propose(session_id);
      return { session_id, action_id, measured };
    },

    /** Everything that an attack could have reached: calibration state, and runs that were requested. */
    async reachable() {
      const { db } = api.database;
      const inProject = { project_id: laboratory.project };
      const targets = await Promise.all(
        ['qubits', 'couplings', 'qubit_history'].map((name) =>
          db.collection<{ _id: string }>(name).find(inProject).sort({ _id: 1 }).toArray(),
        ),
      );
      return { targets, runs: await db.collection('execution_requests').countDocuments(inProject) };
    },
  };
}

/** Status of an answer, with the code of its error or the decision on the proposal. */
export function outcome({ status, body }: Answer) {
  const { code, decision } = z
    .object({ code: z.string().optional(), decision: z.string().optional() })
    .parse(body);
  return [status, code ?? decision];
}

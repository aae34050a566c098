import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Document } from 'mongodb';
import { inject } from 'vitest';
import { startModelServer } from '../support/model-server.ts';
import { type MongoProxy, openMongoProxy } from '../support/mongo-proxy.ts';
import { type AgentDesk, agentDesk } from './agents.ts';
import { type Answer, type Api, type Call, type Person, startApi } from './harness.ts';
import { type Laboratory, makeLaboratory } from './laboratory.ts';
import { type Known, liveIn } from './lived-in.ts';

/** What the model says, whatever it is asked: it serves as a reply and as a knowledge case. */
const extracted = {
  title: 'A defect shortens T1',
  severity: 'warning',
  human_label: '',
  failure_mode_labels: [],
  case_type: [],
  model_error_type: 'not_applicable',
  resolution_label: 'rerun_task',
  symptom: 'T1 is short.',
  model_prediction: '',
  human_review_decision: '',
  root_cause: '',
  resolution: '',
  boundary_criteria: '',
  lesson_learned: [],
  applicability: '',
  counterexample: '',
  prompt_guidance: '',
};

/** A server behind a proxy, and what there is in its store. */
export interface Place {
  api: Api;
  proxy: MongoProxy;
  laboratory: Laboratory;
  desk: AgentDesk;
  owner: Person;
  administrator: Person;
  known: Known;
  close(): Promise<void>;
}

/** One creation: what is requested, and where one more thing is expected. */
export interface Creation {
  /** As openapi.json names it. */
  route: string;
  /** Which of the things that the route creates. */
  what?: string;
  collection: string;
  /** The command that creates it; an insertion unless it says otherwise. */
  command?: 'update' | 'findAndModify';
  /** Its key is a name that the client chose: a repeated request finds what is there, so the service need not repeat. */
  named?: true;
  /** How many things there are; the documents of the collection unless it says otherwise. */
  count?(place: Place): Promise<number>;
  /** Prepares what the request needs. @param name is used once. @returns the request itself */
  prepare(place: Place, name: string): Promise<() => Promise<Answer>> | (() => Promise<Answer>);
  /** Ends what the creation has started. */
  finish?(place: Place): Promise<unknown>;
}

/** A server whose way to the store is a proxy, in a laboratory with one of everything. */
export async function openPlace(replicaSet: boolean): Promise<Place> {
  const proxy = await openMongoProxy(inject('mongodb'), { replicaSet });
  const model = await startModelServer();
  model.always({ text: JSON.stringify(extracted) });
  const directory = await mkdtemp(join(tmpdir(), 'calibron-creations-'));
  await writeFile(
    join(directory, 'copilot.yaml'),
    `model: { provider: openai, name: m, base_url: "${model.url}", retries: 0 }
analysis:
  model: { provider: rules, name: fit-quality }
  ai_review_tasks: [CheckT1]
`,
  );
  const api = await startApi({
    engine: 'prepared',
    // The driver looks for the server at once after each lost answer, not after half a second.
    environment: {
      MONGODB_URI: `${proxy.uri}&minHeartbeatFrequencyMS=10`,
      CONFIG_PATH: directory,
      AI_ENDPOINTS: model.url,
      // Tests create one thing for each command that can be cut off.
      CHIPS_PER_PROJECT: '10000',
      PROJECTS_PER_USER: '10000',
      PROGRAM_TOKENS_PER_USER: '10000',
      SERVICE_ACCOUNTS_PER_PROJECT: '10000',
    },
  });
  const [owner, viewer, administrator] = await Promise.all([
    api.makePerson(),
    api.makePerson(),
    api.makePerson({ system_role: 'admin' }),
  ]);
  const laboratory = await makeLaboratory(api, owner, viewer);
  const known = await liveIn(api, laboratory, { owner, viewer });
  const desk = agentDesk(api, laboratory.project, owner);
  return {
    api,
    proxy,
    laboratory,
    desk,
    owner,
    administrator,
    known,
    async close() {
      proxy.decide();
      await api.close();
      await proxy.close();
      await model.close();
      await rm(directory, { recursive: true });
    },
  };
}

/** How many things a creation has made so far. */
export function countOf(place: Place, { collection, count }: Creation): Promise<number> {
  return count ? count(place) : place.api.database.db.collection(collection).countDocuments();
}

/** How many elements the arrays of a collection's documents have together. */
export const elements = (collection: string, field: string) => async (place: Place) => {
  const found = await place.api.database.db.collection<Document>(collection).find().toArray();
  return found.reduce((sum, each) => sum + (each[field]?.length ?? 0), 0);
};

export const post = ({ laboratory }: Place, url: string, body: unknown = {}, more: Call = {}) =>
  laboratory.as(url, { method: 'POST', body, ...more });

export const put = ({ laboratory }: Place, url: string, body: unknown) =>
  laboratory.as(url, { method: 'PUT', body });

export const first = (place: Place, name: string) => place.known[name]?.[0] ?? '';

/** A form with one file, as browsers send it. */
export function form(
  type: string,
  filename: string,
  content: Buffer,
): { bytes: Buffer; headers: Record<string, string> } {
  const head = `content-disposition: form-data; name="file"; filename="${filename}"\r\ncontent-type: ${type}`;
  return {
    bytes: Buffer.concat([Buffer.from(`--xyz\r\n${head}\r\n\r\n`), content, Buffer.from('\r\n--xyz--\r\n')]),
    headers: { 'content-type': 'multipart/form-data; boundary=xyz' },
  };
}

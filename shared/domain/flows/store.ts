import { access, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type CollectionIndexes, type Db, retryDuplicateKey } from '../../kernel/database.ts';
import { CalibronError } from '../../kernel/errors.ts';
import type { Share } from '../../kernel/fair-queue.ts';
import { replaceFile } from '../../kernel/files/atomic-write.ts';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import { newId } from '../../kernel/new-ids.ts';
import { assertMet, type Precondition, saveIfMet } from '../../kernel/preconditions.ts';
import { assertRoomWithin, type Quota } from '../../kernel/quotas.ts';
import type { KernelSettings } from '../../kernel/settings.ts';
import { builtInFlow } from './built-in.ts';
import { builtInFlows } from './built-in-rules.ts';
import type { FlowChecking } from './checking.ts';
import { FlowCheckError } from './errors.ts';
import type { FlowDetail, FlowDocument, FlowList, NewFlow, SavedFlowAnswer } from './saved-flow-model.ts';
import type { FlowSettings } from './settings.ts';
import { createVersionStore, versionIndexes } from './version-store.ts';
import { flowDetailOf, flowItemOf, flowTagOf } from './wire.ts';

export const flowIndexes: CollectionIndexes[] = [
  { collection: 'flows', indexes: [{ name: 'by_change', key: { project_id: 1, updated_at: -1, name: 1 } }] },
  versionIndexes,
];

const namePattern = /^[A-Za-z0-9_]{1,100}$/;

/** Names under /flows that are not flows. */
const reservedNames = new Set(['templates', 'helpers', 'schedules']);

/** Maximum number of problems in one answer. */
const MAX_PROBLEMS_NAMED = 5;
/** Maximum number of flows named in a sentence. */
const MAX_FLOWS_NAMED = 8;

/** A value with its entity tag. */
export interface Tagged<Value> {
  value: Value;
  tag: string;
}

/** What a save is subject to: the version that it replaces, and the share of the checks that it uses. */
export interface SaveOptions {
  precondition?: Precondition | undefined;
  share?: Share;
}

export type FlowStore = ReturnType<typeof createFlowStore>;

/** Saved flows and the versions of their code. Runs use the database; the file under `<DATA_DIR>/flows` is a copy for people. */
export function createFlowStore(
  db: Db,
  settings: FlowSettings & Pick<KernelSettings, 'DATA_DIR'>,
  checking: Pick<FlowChecking, 'flow'>,
) {
  const flows = db.collection<FlowDocument>('flows');
  const versions = createVersionStore(db, settings.FLOW_VERSIONS);
  const { version } = versions;

  /** A stored flow; null if there is none. */
  const stored = (projectId: ProjectId, name: string) => flows.findOne({ _id: keyOf(projectId, name) });

  /** A built-in or saved flow; null if there is none. */
  const get = async (projectId: ProjectId, name: string): Promise<FlowDocument | null> =>
    (await builtInFlow(projectId, name))?.flow ?? stored(projectId, name);

  /** The error for a name that no flow has. It names flows of the project, the most recently changed first. */
  async function noSuchFlow(projectId: ProjectId): Promise<CalibronError> {
    const found = await flows
      .find({ project_id: projectId }, { projection: { name: 1 } })
      .sort({ updated_at: -1, name: 1 })
      .limit(MAX_FLOWS_NAMED + 1)
      .toArray();
    const names = found.slice(0, MAX_FLOWS_NAMED).map(({ name }) => name);
    const more = found.length > MAX_FLOWS_NAMED ? ' and others' : '';
    const hint = names.length > 0 ? ` It has ${names.join(', ')}${more}.` : '';
    return new CalibronError('not_found', `There is no such flow in this project.${hint}`);
  }

  /** A flow with its current version. @throws not_found */
  async function withCode(projectId: ProjectId, name: string) {
    const builtIn = await builtInFlow(projectId, name);
    if (builtIn) return { flow: builtIn.flow, current: builtIn.version };
    const flow = await stored(projectId, name);
    const current = flow && (await version(projectId, name, flow.hash));
    if (!flow || !current) throw await noSuchFlow(projectId);
    return { flow, current };
  }

  const quota: Quota = {
    holder: 'This project',
    things: 'flows',
    limit: settings.FLOWS_PER_PROJECT,
    setting: 'FLOWS_PER_PROJECT',
  };

  /**
   * Updates the file of a flow to match its record. Writes again if the record changed meanwhile, so that the last file written,
   * by any process, has the current code.
   */
  async function keepFile(projectId: ProjectId, name: string, file: string): Promise<void> {
    const currentHash = async () => {
      const flow = await flows.findOne({ _id: keyOf(projectId, name) }, { projection: { hash: 1 } });
      return flow?.hash ?? null;
    };
    for (let hash = await currentHash(); ; ) {
      const current = hash === null ? null : await version(projectId, name, hash);
      if (current) {
        await mkdir(dirname(file), { recursive: true });
        await replaceFile(file, current.source);
      } else if (hash === null) await rm(file, { force: true });
      const now = await currentHash();
      if (now === hash) return;
      hash = now;
    }
  }

  /** The copy of a flow for people. It is not stored, so that the data directory may move. */
  const fileOf = (projectId: ProjectId, name: string) =>
    join(settings.DATA_DIR, 'flows', projectId, `${name}.ts`);

  const itemOf = async (flow: FlowDocument) =>
    flowItemOf(flow, await isThere(fileOf(flow.project_id, flow.name)));

  return {
    version,
    get,
    noSuchFlow,

    /** Keeps a version permanently, because a run uses it; false if it does not exist. */
    async pin(projectId: ProjectId, name: string, hash: string): Promise<boolean> {
      const builtIn = await builtInFlow(projectId, name);
      if (builtIn?.version.hash === hash) await versions.save(builtIn.version, builtIn.version.created_at);
      return versions.pin(projectId, name, hash);
    },

    /**
     * Saves a flow under its name, checked in the share of its author: first the version, then the record that refers to it, then the file. The code is not run.
     * @throws bad_request for an invalid name, invalid_flow naming the line, quota_exceeded when the project has too many flows,
     * precondition_failed when the flow has changed since the caller read it
     */
    async save(
      projectId: ProjectId,
      username: string,
      wanted: NewFlow,
      { precondition, share = { user: username, project: projectId } }: SaveOptions = {},
    ): Promise<Tagged<SavedFlowAnswer>> {
      const { name, code, flow_function_name, ...described } = wanted;
      checkName(name);
      const readFlow = () => stored(projectId, name);
      const tagOf = (flow: FlowDocument | null) => flow && flowTagOf(flow);
      // Checked before anything is stored; the write below checks again.
      if (precondition !== undefined) assertMet(precondition, tagOf(await readFlow()));
      const functionName = flow_function_name || name;
      const checked = await checking.flow(share, code, functionName);
      if (!checked.ok) {
        const sentences = checked.problems
          .slice(0, MAX_PROBLEMS_NAMED)
          .map((problem) => `Line ${problem.line}: ${problem.message}.`);
        throw new FlowCheckError('invalid_flow', sentences.join(' '));
      }
      if (!(await get(projectId, name))) {
        assertRoomWithin(quota, await flows.countDocuments({ project_id: projectId }));
      }
      const now = new Date();
      const file = fileOf(projectId, name);
      const version = {
        project_id: projectId,
        name,
        hash: checked.hash,
        source: code,
        javascript: checked.javascript,
        function_name: functionName,
        author: username,
        created_at: now,
      };
      // Stored with a slightly older time until it is current. A concurrent removal of old versions then detects that it was
      // saved again, or `confirm` restores it.
      const before = new Date(now.getTime() - 1);
      await versions.save(version, before);
      const fields = {
        ...described,
        flow_function_name: functionName,
        hash: checked.hash,
        revision: newId(),
        parameters: checked.parameters,
        updated_at: now,
      };
      const _id = keyOf(projectId, name);
      const setOnInsert = { project_id: projectId, name, username, created_at: now };
      const write = (expected?: FlowDocument | null) =>
        expected
          ? flows.findOneAndUpdate(
              {
                _id,
                hash: expected.hash,
                updated_at: expected.updated_at,
                revision: expected.revision ?? { $exists: false },
              },
              { $set: fields },
              { returnDocument: 'after' },
            )
          : retryDuplicateKey(() =>
              flows.findOneAndUpdate(
                { _id },
                { $set: fields, $setOnInsert: setOnInsert },
                { upsert: true, returnDocument: 'after' },
              ),
            );
      const saved = await saveIfMet(precondition, { read: readFlow, tagOf, write }).catch(
        async (thrown: unknown) => {
          await versions.withdraw(version, before);
          throw thrown;
        },
      );
      await versions.confirm(version, {
        ...described,
        flow_function_name: functionName,
        saved_by: username,
        at: now,
      });
      await versions.removeOld(projectId, name, async () => {
        const flow = await flows.findOne({ _id }, { projection: { hash: 1 } });
        return flow?.hash;
      });
      await keepFile(projectId, name, file);
      const value = { name, file_path: file, message: `Flow ${name} was saved.` };
      if (!saved) throw new Error('an upsert of a flow gave no document');
      return { value, tag: flowTagOf(saved) };
    },

    /** The flows of a project, most recently changed first. */
    async list(projectId: ProjectId): Promise<FlowList> {
      const found = await flows.find({ project_id: projectId }).sort({ updated_at: -1, name: 1 }).toArray();
      return { flows: await Promise.all(found.map(itemOf)) };
    },

    /** Deletes a flow and its file; versions used by runs are kept. @throws not_found */
    async remove(projectId: ProjectId, name: string, precondition?: Precondition): Promise<void> {
      const _id = keyOf(projectId, name);
      const flow = await saveIfMet(precondition, {
        read: () => stored(projectId, name),
        tagOf: (current) => current && flowTagOf(current),
        write: (expected) =>
          flows.findOneAndDelete({
            _id,
            ...(expected && {
              hash: expected.hash,
              revision: expected.revision ?? { $exists: false },
            }),
          }),
      });
      if (!flow) throw await noSuchFlow(projectId);
      await versions.removeUnused(projectId, name, flow.updated_at);
      await keepFile(projectId, name, fileOf(projectId, name));
    },

    /** Checks that a flow is what a caller read. @throws precondition_failed */
    async assertUnchanged(
      projectId: ProjectId,
      name: string,
      precondition: Precondition | undefined,
    ): Promise<void> {
      if (precondition === undefined) return;
      const flow = await stored(projectId, name);
      assertMet(precondition, flow && flowTagOf(flow));
    },

    /** One flow with its code. @throws not_found */
    async read(projectId: ProjectId, name: string): Promise<Tagged<FlowDetail>> {
      const { flow, current } = await withCode(projectId, name);
      const path = builtInFlows.has(name) ? '' : fileOf(projectId, name);
      const file = { path, exists: path !== '' && (await isThere(path)) };
      return { value: flowDetailOf(flow, current.source, file), tag: flowTagOf(flow) };
    },

    withCode,
    versionStore: versions,
  };
}

function checkName(name: string): void {
  if (!namePattern.test(name)) {
    throw new CalibronError(
      'bad_request',
      'The name of a flow has 1 to 100 letters, digits and underscores.',
    );
  }
  if (reservedNames.has(name) || builtInFlows.has(name)) {
    throw new CalibronError('bad_request', 'This name is reserved; choose another one for the flow.');
  }
}

async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

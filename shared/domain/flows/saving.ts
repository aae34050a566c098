import type { Collection } from 'mongodb';
import { retryDuplicateKey } from '../../kernel/database.ts';
import { CalibronError } from '../../kernel/errors.ts';
import type { Share } from '../../kernel/fair-queue.ts';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import { newId } from '../../kernel/new-ids.ts';
import { assertMet, type Precondition, saveIfMet } from '../../kernel/preconditions.ts';
import { assertRoomWithin, type Quota } from '../../kernel/quotas.ts';
import { builtInFlows } from './built-in-rules.ts';
import type { FlowCheck } from './check-flow.ts';
import type { FlowChecking } from './checking.ts';
import { FlowCheckError } from './errors.ts';
import type { FlowFiles } from './flow-files.ts';
import type { FlowDocument, NewFlow, SavedFlowAnswer } from './saved-flow-model.ts';
import type { FlowSettings } from './settings.ts';
import type { VersionStore } from './version-store.ts';
import { flowTagOf } from './wire.ts';

const namePattern = /^[A-Za-z0-9_]{1,100}$/;

/** Names under /flows that are not flows. */
const reservedNames = new Set(['templates', 'helpers', 'schedules']);

/** Maximum number of problems in one answer. */
const MAX_PROBLEMS_NAMED = 5;

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

type SavedFields = Omit<FlowDocument, '_id' | 'project_id' | 'name' | 'username' | 'created_at'>;

export interface SavingDependencies {
  flows: Collection<FlowDocument>;
  versions: VersionStore;
  files: Pick<FlowFiles, 'pathOf' | 'keep'>;
  checking: Pick<FlowChecking, 'flow'>;
  settings: FlowSettings;
}

/** Saves flows: first the version, then the record that refers to it, then the file. */
export function createSaving({ flows, versions, files, checking, settings }: SavingDependencies) {
  const quota: Quota = {
    holder: 'This project',
    things: 'flows',
    limit: settings.FLOWS_PER_PROJECT,
    setting: 'FLOWS_PER_PROJECT',
  };

  const read = (projectId: ProjectId, name: string) => flows.findOne({ _id: keyOf(projectId, name) });

  /** @throws quota_exceeded if the project has no room for another flow */
  async function assertRoomFor(projectId: ProjectId, name: string): Promise<void> {
    if (builtInFlows.has(name) || (await read(projectId, name))) return;
    assertRoomWithin(quota, await flows.countDocuments({ project_id: projectId }));
  }

  /** Writes the record of a flow; if one is expected, only over that one. @returns null if there is another one */
  function write(
    { projectId, name, username }: { projectId: ProjectId; name: string; username: string },
    fields: SavedFields,
    expected: FlowDocument | null | undefined,
  ): Promise<FlowDocument | null> {
    const _id = keyOf(projectId, name);
    if (expected) {
      const { hash, updated_at, revision = { $exists: false } } = expected;
      return flows.findOneAndUpdate(
        { _id, hash, updated_at, revision },
        { $set: fields },
        { returnDocument: 'after' },
      );
    }
    const $setOnInsert = { project_id: projectId, name, username, created_at: fields.updated_at };
    return retryDuplicateKey(() =>
      flows.findOneAndUpdate(
        { _id },
        { $set: fields, $setOnInsert },
        { upsert: true, returnDocument: 'after' },
      ),
    );
  }

  return {
    /**
     * Saves a flow under its name, checked in the share of its author. The code is not run.
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
      const readFlow = () => read(projectId, name);
      const tagOf = (flow: FlowDocument | null) => flow && flowTagOf(flow);
      // Checked before anything is stored; the write below checks again.
      if (precondition !== undefined) assertMet(precondition, tagOf(await readFlow()));
      const functionName = flow_function_name || name;
      const { hash, javascript, parameters } = validated(await checking.flow(share, code, functionName));
      await assertRoomFor(projectId, name);
      const now = new Date();
      const version = {
        project_id: projectId,
        name,
        hash,
        source: code,
        javascript,
        function_name: functionName,
        author: username,
        created_at: now,
      };
      // Stored with a slightly older time until it is current. A concurrent removal of old versions then detects that it was
      // saved again, or `confirm` restores it.
      const before = new Date(now.getTime() - 1);
      await versions.save(version, before);
      const flow = { projectId, name, username };
      const current = { ...described, flow_function_name: functionName };
      const fields = { ...current, hash, revision: newId(), parameters, updated_at: now };
      const saved = await saveIfMet(precondition, {
        read: readFlow,
        tagOf,
        write: (expected?: FlowDocument | null) => write(flow, fields, expected),
      }).catch(async (thrown: unknown) => {
        await versions.withdraw(version, before);
        throw thrown;
      });
      await versions.confirm(version, { ...current, saved_by: username, at: now });
      await versions.removeOld(projectId, name, async () => (await readFlow())?.hash);
      await files.keep(projectId, name);
      if (!saved) throw new Error('an upsert of a flow gave no document');
      const value = {
        name,
        file_path: files.pathOf(projectId, name),
        message: `Flow ${name} was saved.`,
      };
      return { value, tag: flowTagOf(saved) };
    },
  };
}

/** @throws invalid_flow naming the line of each problem, up to a limit */
function validated(checked: FlowCheck): Extract<FlowCheck, { ok: true }> {
  if (checked.ok) return checked;
  const problems = checked.problems
    .slice(0, MAX_PROBLEMS_NAMED)
    .map((problem) => `Line ${problem.line}: ${problem.message}.`);
  throw new FlowCheckError('invalid_flow', problems.join(' '));
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

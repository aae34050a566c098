import { CalibronError } from '../../kernel/errors.ts';
import { editProblem, withFileValue } from '../calibrations/index.ts';
import type { Chips } from '../chips/index.ts';
import type { Configuration } from '../configuration/index.ts';
import { createApplyFiles } from './apply-files.ts';
import type { ApplyInput } from './apply-model.ts';
import type { createApplyTurn } from './apply-turn.ts';
import { assertStillCurrent, openApplyStatuses } from './applying.ts';
import type { CommitDocument } from './commit-model.ts';
import type { AgentStore } from './store.ts';
import { applyWorkflowId } from './workflow-model.ts';

interface Dependencies {
  store: AgentStore;
  chips: Pick<Chips, 'mustGet' | 'state'>;
  configuration: Pick<Configuration, 'files' | 'repository'>;
  turn: ReturnType<typeof createApplyTurn>;
}

/** A later apply of the commit has started, or this one has ended: nothing remains to be done. */
export class ApplyOver extends Error {
  override name = 'ApplyOver';
}

/** The steps that write a commit to its parameter file. Each can be repeated after a crash at any point. */
export function createApplySteps({ store, chips, configuration, turn }: Dependencies) {
  const { repository } = configuration;
  const { textOf, write, fileValueOf, restore } = createApplyFiles({ chips, files: configuration.files });

  /** The commit of an apply that is not over. @throws ApplyOver */
  async function current(input: ApplyInput): Promise<CommitDocument> {
    const { project_id, session_id, commit_id, attempt } = input;
    const commit = await store.commits.get(project_id, session_id, 'candidate', commit_id);
    const isOpen = openApplyStatuses.some((status) => status === commit?.apply.status);
    if (!commit || commit.apply.attempt !== attempt || !isOpen) throw new ApplyOver('this apply is over');
    return commit;
  }

  /** Changes the apply of a commit. @throws ApplyOver */
  async function move(commit: CommitDocument, change: Partial<CommitDocument['apply']>): Promise<void> {
    const moved = await store.commits.moveApply(commit, commit.apply.attempt, openApplyStatuses, change);
    if (!moved) throw new ApplyOver('this apply is over');
  }

  return {
    /**
     * Takes the turn and checks that the value is still current. Reverts what a terminated apply has left.
     * @returns false while another apply has the turn
     * @throws ApplyOver, value_changed
     */
    async begin(input: ApplyInput): Promise<boolean> {
      const commit = await current(input);
      if (!(await turn.take(applyWorkflowId(input.commit_id)))) return false;
      await assertStillCurrent(chips.state, commit);
      if (commit.apply.status !== 'applying') {
        await restore(commit);
        const { path } = await fileValueOf(commit);
        await move(commit, { status: 'applying', target_files: [path], journal: null });
      }
      return true;
    },

    /** Pulls from the remote repository. @throws ApplyOver, conflict, repository_unavailable */
    async pull(input: ApplyInput): Promise<void> {
      await current(input);
      await repository.pull();
    },

    /**
     * Writes the value to its file atomically and reads it back.
     * @throws ApplyOver, value_changed, invalid_configuration, conflict
     */
    async write(input: ApplyInput): Promise<void> {
      const commit = await current(input);
      await assertStillCurrent(chips.state, commit);
      const { path, ...wanted } = await fileValueOf(commit);
      const present = await textOf(path);
      const { journal } = commit.apply;
      const isWritten = journal !== null && journal.after === present;
      const before = isWritten ? journal.before : present;
      const after = isWritten ? journal.after : withFileValue(present, wanted);
      if (after !== present) {
        await move(commit, { journal: { path, before, after } });
        await write(path, after, commit);
      }
      const found = await textOf(path);
      const problem = found === null ? 'is gone' : editProblem(before, found, wanted);
      if (problem !== null) {
        throw new CalibronError('conflict', `The file was written, but ${problem}; nothing was applied.`);
      }
      await move(commit, { verified: true, changed_files: before === after ? [] : [path] });
    },

    /** Commits the file, and pushes it if requested. @throws ApplyOver, conflict, repository_unavailable */
    async version(input: ApplyInput): Promise<void> {
      const commit = await current(input);
      const { path, file, label, value, unit } = await fileValueOf(commit);
      const { journal } = commit.apply;
      if (journal && journal.after !== (await textOf(path))) {
        throw new CalibronError(
          'conflict',
          `Somebody else changed ${path} meanwhile; what they wrote stays.`,
        );
      }
      const { base, commit: made } = await repository.commitFiles({
        files: [path],
        message: [
          `Set ${file.replace('.yaml', '')} of ${label} on ${commit.chip_id} to ${value} ${unit}`.trim(),
          '',
          `Measured by ${commit.candidates[0]?.task_name} in ${commit.candidates[0]?.execution_id}, agent session`,
          `${commit.session_id}, commit ${commit.commit_id}, apply ${commit.apply.attempt}.`,
        ].join('\n'),
        author: { username: commit.apply.requested_by },
        at: commit.apply.requested_at ?? commit.created_at,
        push: input.push,
      });
      await move(commit, { base_git_commit: base, git_commit: made });
    },

    /** Ends an apply whose steps are all done. */
    async finish(input: ApplyInput): Promise<void> {
      const commit = await current(input).catch(ignoringOver);
      if (commit) {
        await move(commit, { status: 'applied', journal: null, applied_at: new Date() }).catch(ignoringOver);
      }
      await turn.leave(applyWorkflowId(input.commit_id));
    },

    /** Ends a failed apply and restores the file. */
    async fail(input: ApplyInput, reason: string): Promise<void> {
      const commit = await current(input).catch(ignoringOver);
      if (commit) {
        await restore(commit);
        await move(commit, {
          status: 'failed',
          verified: false,
          changed_files: [],
          journal: null,
          error: reason,
          applied_at: new Date(),
        }).catch(ignoringOver);
      }
      await turn.leave(applyWorkflowId(input.commit_id));
    },
  };
}

function ignoringOver(thrown: unknown): null {
  if (thrown instanceof ApplyOver) return null;
  throw thrown;
}

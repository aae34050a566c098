import { isError } from '../../kernel/errors.ts';
import type { FileValue } from '../calibrations/index.ts';
import { parameterFilePath } from '../calibrations/parameter-file-rules.ts';
import { labelOf } from '../calibrations/rules.ts';
import type { Chips } from '../chips/index.ts';
import type { Configuration } from '../configuration/index.ts';
import type { CommitDocument } from './commit-model.ts';

/** The parameter files to which applies write. */
export function createApplyFiles({
  chips,
  files,
}: {
  chips: Pick<Chips, 'mustGet'>;
  files: Configuration['files'];
}) {
  /** Writes a file in the name of the user who requested the apply. */
  const write = (path: string, text: string, commit: CommitDocument) =>
    files.write(path, text, { kind: 'user', id: commit.committed_by_user_id });

  /** The text of a file; null if it does not exist. */
  async function textOf(path: string): Promise<string | null> {
    try {
      return (await files.read(path)).content;
    } catch (thrown) {
      if (isError(thrown, 'not_found')) return null;
      throw thrown;
    }
  }

  /** The value of a commit, and the file to which it belongs. */
  async function fileValueOf(commit: CommitDocument): Promise<FileValue & { path: string }> {
    const [record] = Object.values(commit.records);
    if (!record || typeof record.value !== 'number') throw new Error('the commit has no number');
    const { size } = await chips.mustGet(commit.project_id, commit.chip_id);
    const { parameter_name, value, unit, description } = record;
    return {
      path: parameterFilePath(commit, parameter_name),
      file: `${parameter_name}.yaml`,
      qid: commit.qid,
      label: labelOf(commit.qid, size),
      value,
      unit,
      description,
    };
  }

  /** Reverts what an apply has written. A file that was changed by someone else since is left as it is. */
  async function restore(commit: CommitDocument): Promise<void> {
    const { journal } = commit.apply;
    if (!journal || (await textOf(journal.path)) !== journal.after) return;
    if (journal.before === null) await files.remove(journal.path);
    else await write(journal.path, journal.before, commit);
  }

  return { textOf, write, fileValueOf, restore };
}

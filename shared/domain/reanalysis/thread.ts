import { messageOf } from '../../kernel/errors.ts';
import { limitedWork } from '../../kernel/limited-work.ts';
import { readDatasetBytes } from '../../science/datasets/dataset-bytes.ts';
import type { Dataset } from '../../science/datasets/model.ts';
import { StoredFileProblem } from '../../science/datasets/stored-variable.ts';
import { analyse } from '../../tasks/analyses.ts';
import { findTask } from '../../tasks/catalog.ts';
import type { ReanalysisAnswer, ReanalysisJob } from './reanalysing.ts';
import { SENT_DATA_LIMIT } from './rules.ts';

/** Runs in a thread: decodes the data, and analyses it unless a lab's worker does. */
export default limitedWork<ReanalysisJob, ReanalysisAnswer>(
  async ({ bytes, taskName, qid, inputs, runParameters }) => {
    const task = findTask(taskName);
    try {
      const dataset = await readDatasetBytes(bytes);
      if (!task) return toSend(dataset);
      const { outputs, figures, refused, unfitParameters } = analyse({
        task,
        qid,
        dataset,
        inputs,
        runParameters,
      });
      if (refused !== undefined && unfitParameters) return { unfitParameters: refused };
      const figure = figures.find(({ layout }) => layout.meta?.figure_role === 'marked') ?? figures[0];
      if (!figure) return { problem: refused ?? 'the analysis drew no figure' };
      return { figure, values: refused === undefined ? outputs : {} };
    } catch (thrown) {
      if (thrown instanceof StoredFileProblem) return { problem: messageOf(thrown) };
      throw thrown;
    }
  },
);

function toSend(dataset: Dataset): ReanalysisAnswer {
  return JSON.stringify(dataset).length > SENT_DATA_LIMIT ? { isTooLarge: true } : { dataset };
}

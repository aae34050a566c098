import { giveWayToOtherThreads } from '../../shared/kernel/thread-time.ts';
import { readForeignFigure } from '../../shared/science/figures/foreign-figure.ts';
import type { Figure } from '../../shared/science/figures/model.ts';
import { analyse } from '../../shared/tasks/analyses.ts';
import type { AnalysisInput } from '../../shared/tasks/common/analysis/model.ts';
import { readDatasetFile } from './dataset-file.ts';
import type { Analysed, Job, StoredFigure } from './pool.ts';

// Heartbeats, records and new measurement requests have priority over fits.
giveWayToOtherThreads();

function described(figure: Figure): StoredFigure {
  const { figure_role, qdash_figure_role } = figure.layout.meta ?? {};
  return { json: JSON.stringify(figure), role: figure_role ?? qdash_figure_role };
}

/** Figures of a backend are only illustrations, so an invalid one is replaced instead of failing the task. */
function describeForeign(given: unknown): StoredFigure {
  const { json, drawable, note } = readForeignFigure(given);
  return { ...described(drawable), json, ...(note !== null && { note }) };
}

function analyseDescribed(input: AnalysisInput): Analysed {
  const analysis = analyse(input);
  return { ...analysis, figures: analysis.figures.map(described) };
}

/** Runs in a thread of the pool. */
export default async function work(job: Job): Promise<Analysed> {
  const nothing = { outputs: {}, r2: null };
  switch (job.kind) {
    case 'describe':
      return { ...nothing, figures: job.figures.map(describeForeign) };
    case 'analyse':
      return analyseDescribed(job.input);
    case 'analyse stored': {
      const read = await readDatasetFile(job.file);
      if ('problem' in read) return { ...nothing, figures: [], unreadable: read.problem };
      return analyseDescribed({ ...job.input, dataset: read.dataset });
    }
  }
}

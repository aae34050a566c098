import { readFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { giveWayToOtherThreads } from '../../shared/kernel/thread-time.ts';
import { drawPng } from '../../shared/science/figures/draw.ts';
import { readForeignFigure } from '../../shared/science/figures/foreign-figure.ts';
import { type Figure, figure as figureSchema } from '../../shared/science/figures/model.ts';
import { analyse } from '../../shared/tasks/analyses.ts';
import type { AnalysisInput } from '../../shared/tasks/common/analysis/model.ts';
import { readDatasetFile } from './dataset-file.ts';
import type { Analysed, Job, StoredFigure } from './pool.ts';

// Heartbeats, records and the next requests to measure come before fits.
giveWayToOtherThreads();

function described(figure: Figure): StoredFigure {
  const { figure_role, qdash_figure_role } = figure.layout.meta ?? {};
  return { json: JSON.stringify(figure), png: null, role: figure_role ?? qdash_figure_role };
}

/** Figures that a backend delivered are no more than illustrations: whatever they are, each is stored and has a picture. */
async function drawForeign(figures: readonly unknown[]): Promise<StoredFigure[]> {
  const drawn: StoredFigure[] = [];
  for (const given of figures) {
    const { json, drawable, note } = readForeignFigure(given);
    const picture = pictureIfAny(drawable);
    const said = picture ? note : 'is stored as it is and cannot be drawn';
    const { role } = described(drawable);
    drawn.push({
      json,
      png: picture ?? drawPng(emptyFigure),
      ...(role !== undefined && { role }),
      ...(said !== null && { note: said }),
    });
    // The memory of pictures is given back by finalizers that wait for the event loop to turn.
    await nextTurn();
  }
  return drawn;
}

const { drawable: emptyFigure } = readForeignFigure({});

function pictureIfAny(figure: Figure): Uint8Array | null {
  try {
    return drawPng(figure);
  } catch {
    return null;
  }
}

async function drawStored(path: string): Promise<StoredFigure[]> {
  const read = figureSchema.safeParse(JSON.parse(await readFile(path, 'utf8')));
  // The library's own error has lost its words when it comes out of the thread.
  if (!read.success) throw new Error('the file describes no figure');
  return [{ ...described(read.data), png: drawPng(read.data) }];
}

function analyseDescribed(input: AnalysisInput): Analysed {
  const analysis = analyse(input);
  return { ...analysis, figures: analysis.figures.map(described) };
}

/** Runs in a thread of the pool. */
export default async function work(job: Job): Promise<Analysed> {
  const nothing = { outputs: {}, r2: null };
  switch (job.kind) {
    case 'draw':
      return { ...nothing, figures: await drawForeign(job.figures) };
    case 'draw stored':
      return { ...nothing, figures: await drawStored(job.json) };
    case 'analyse':
      return analyseDescribed(job.input);
    case 'analyse stored': {
      const read = await readDatasetFile(job.file);
      if ('problem' in read) return { ...nothing, figures: [], unreadable: read.problem };
      return analyseDescribed({ ...job.input, dataset: read.dataset });
    }
  }
}

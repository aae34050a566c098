import { newId } from '../../shared/kernel/ids.ts';
import { type Laboratory, openLaboratory } from '../../test/support/laboratory.ts';

/** What is noted of data once all of it is there. */
interface FillDocument {
  _id: string;
  project: string;
}

export interface FilledLaboratory {
  lab: Laboratory;
  project: string;
  /** What filling took; null where an earlier run had done it. */
  seconds: number | null;
}

/**
 * A laboratory whose store holds what `fill` stores in a new project. Of a store that is kept, the database is kept
 * too, by the name of its contents, and filled by the first run alone.
 */
export async function openFilledLaboratory(
  contents: string,
  kept: boolean,
  fill: (lab: Laboratory, project: string) => Promise<void>,
): Promise<FilledLaboratory> {
  const lab = await openLaboratory(kept ? { MONGODB_DATABASE: `bench_${contents}` } : {}, {
    keepsDatabase: kept,
  });
  const fills = lab.database.db.collection<FillDocument>('bench_fills');
  const earlier = await fills.findOne({ _id: contents });
  if (earlier) return { lab, project: earlier.project, seconds: null };
  const project = newId();
  const began = performance.now();
  await fill(lab, project);
  await fills.insertOne({ _id: contents, project });
  return { lab, project, seconds: (performance.now() - began) / 1000 };
}

/** How long filling took, as a figure says it. */
export function fillingTime(seconds: number | null): string {
  return seconds === null ? 'by an earlier run' : `${seconds.toFixed(0)} s`;
}

import type { ProjectId } from '../../shared/kernel/ids.ts';
import { INSTALLATION_COLLECTION } from '../../shared/kernel/installation/store.ts';
import { newProjectId } from '../../shared/kernel/new-ids.ts';
import { type Laboratory, openLaboratory } from '../../test/support/laboratory.ts';

/** Marks a database as completely filled. */
interface FillDocument {
  _id: string;
  project: ProjectId;
}

export interface FilledLaboratory {
  lab: Laboratory;
  project: ProjectId;
  /** Duration of filling; null if an earlier run filled the database. */
  seconds: number | null;
}

/**
 * Opens a laboratory whose store holds the data that `fill` stores in a new project. A persistent store keeps the database
 * under the name of its contents, so that only the first run fills it.
 */
export async function openFilledLaboratory(
  contents: string,
  kept: boolean,
  fill: (lab: Laboratory, project: ProjectId) => Promise<void>,
): Promise<FilledLaboratory> {
  const lab = await openLaboratory(kept ? { MONGODB_DATABASE: `bench_${contents}` } : {}, {
    keepsDatabase: kept,
  });
  const fills = lab.database.db.collection<FillDocument>('bench_fills');
  const earlier = await fills.findOne({ _id: contents });
  if (earlier) {
    // Each run has a Temporal of its own, which the record of the earlier installation does not name.
    await lab.database.db.collection(INSTALLATION_COLLECTION).deleteMany({});
    return { lab, project: earlier.project, seconds: null };
  }
  const project = newProjectId();
  const began = performance.now();
  await fill(lab, project);
  await fills.insertOne({ _id: contents, project });
  return { lab, project, seconds: (performance.now() - began) / 1000 };
}

/** Duration of filling as text. */
export function fillingTime(seconds: number | null): string {
  return seconds === null ? 'by an earlier run' : `${seconds.toFixed(0)} s`;
}

import { messageOf } from '../../shared/kernel/errors.ts';
import type { Share } from '../../shared/kernel/fair-queue.ts';
import { AnalysisStopped, type StoredFigure } from '../analysis/pool.ts';
import type { TargetResult } from '../backends/backend.ts';
import type { RecordDependencies } from './dependencies.ts';

/** The figures of a backend, and sentences about those that are not drawn as they were given. */
export async function drawnFigures(
  { analysis }: Pick<RecordDependencies, 'analysis'>,
  { figures = [] }: TargetResult,
  share: Share,
): Promise<{ figures: StoredFigure[]; notes: string[] }> {
  try {
    const drawn = await analysis.drawFigures(figures, share);
    const notes = drawn.flatMap(({ note }, index) =>
      note === undefined ? [] : [`Figure ${index + 1} of the backend ${note}.`],
    );
    return { figures: drawn, notes };
  } catch (thrown) {
    if (thrown instanceof AnalysisStopped) throw thrown;
    return { figures: [], notes: [`The figures of the backend could not be stored: ${messageOf(thrown)}.`] };
  }
}

/** Steps that finish a measurement: reads figures that the backend sent. Called by analysing.ts. */
import { messageOf } from '../../shared/kernel/errors.ts';
import type { Share } from '../../shared/kernel/fair-queue.ts';
import { AnalysisStopped, type StoredFigure } from '../analysis/pool.ts';
import type { TargetResult } from '../backends/backend.ts';
import type { RecordDependencies } from './dependencies.ts';

/** The figures of a backend, and messages about those whose picture shows something else than what was given. */
export async function describeForeignFigures(
  { analysis }: Pick<RecordDependencies, 'analysis'>,
  { figures = [] }: TargetResult,
  share: Share,
): Promise<{ figures: StoredFigure[]; notes: string[] }> {
  try {
    const described = await analysis.describeFigures(figures, share);
    const notes = described.flatMap(({ note }, index) =>
      note === undefined ? [] : [`Figure ${index + 1} of the backend ${note}.`],
    );
    return { figures: described, notes };
  } catch (thrown) {
    if (thrown instanceof AnalysisStopped) throw thrown;
    return { figures: [], notes: [`The figures of the backend could not be stored: ${messageOf(thrown)}.`] };
  }
}

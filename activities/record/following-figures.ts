import { setTimeout as wait } from 'node:timers/promises';
import type { HeldRun } from '../../shared/domain/runs/run-model.ts';
import { messageOf } from '../../shared/kernel/errors.ts';
import { keyOf } from '../../shared/kernel/ids.ts';
import type { Logger } from '../../shared/kernel/log.ts';
import { type AnalysisPool, AnalysisStopped, type FigureFiles } from '../analysis/pool.ts';
import type { ArtifactFiles } from './artifacts.ts';

type Run = Pick<HeldRun, 'project_id' | 'chip_id' | 'execution_id'>;

export type FollowingFigures = ReturnType<typeof createFollowingFigures>;

/**
 * Pictures of figures, drawn after their task is recorded so that no measurement waits for them. What a worker that
 * died has left undrawn is drawn at the end of the run, or for the first who asks for it.
 * @param endingWaitMs milliseconds that the end of a run waits for its pictures; default 15 s
 */
export function createFollowingFigures({
  analysis,
  files,
  log,
  endingWaitMs = 15_000,
}: {
  analysis: Pick<AnalysisPool, 'drawFile'>;
  files: Pick<ArtifactFiles, 'undrawnFigures'>;
  log: Pick<Logger, 'warn'>;
  endingWaitMs?: number;
}) {
  /** Drawings under way by run, and there by the picture's file. */
  const underWay = new Map<string, Map<string, Promise<void>>>();

  async function draw(run: Run, figure: FigureFiles, before: Promise<void> | undefined): Promise<void> {
    // Of two attempts of a task the later one's description is to be seen.
    await before;
    try {
      await analysis.drawFile(figure);
    } catch (thrown) {
      if (thrown instanceof AnalysisStopped) return;
      log.warn({ execution_id: run.execution_id, error: messageOf(thrown) }, 'a figure is not drawn');
    }
  }

  function follow(run: Run, figure: FigureFiles): void {
    const key = keyOf(run.project_id, run.execution_id);
    const ofRun = underWay.get(key) ?? new Map<string, Promise<void>>();
    underWay.set(key, ofRun);
    const drawing = draw(run, figure, ofRun.get(figure.png)).then(() => {
      if (ofRun.get(figure.png) === drawing) ofRun.delete(figure.png);
      if (ofRun.size === 0) underWay.delete(key);
    });
    ofRun.set(figure.png, drawing);
  }

  return {
    /** Has a figure drawn whose description is stored. */
    follow,

    /**
     * Waits until the figures of a run are drawn, also those that another worker has described and not drawn yet; not
     * for ever, as the run holds its project meanwhile.
     */
    async complete(run: Run): Promise<void> {
      const key = keyOf(run.project_id, run.execution_id);
      const undrawn = await files.undrawnFigures(run).catch((thrown: unknown) => {
        log.warn({ execution_id: run.execution_id, error: messageOf(thrown) }, 'figures are not looked for');
        return [];
      });
      for (const figure of undrawn) if (!underWay.get(key)?.has(figure.png)) follow(run, figure);
      const drawn = Promise.all(underWay.get(key)?.values() ?? []).then(() => true);
      const patience = new AbortController();
      const tooLate = wait(endingWaitMs, false, { signal: patience.signal }).catch(() => false);
      if (!(await Promise.race([drawn, tooLate]))) {
        const left = underWay.get(key)?.size ?? 0;
        log.warn({ execution_id: run.execution_id, left }, 'the run ends before its figures are drawn');
      }
      patience.abort();
    },
  };
}

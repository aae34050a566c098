/** After the steps: an idle worker draws the pictures of stored figures. */
import type { HeldRun } from '../../shared/domain/runs/run-model.ts';
import { messageOf } from '../../shared/kernel/errors.ts';
import type { Logger } from '../../shared/kernel/log.ts';
import type { ArtifactFiles } from './artifacts.ts';

/** Pictures that wait for an idle worker at most, some 200 bytes each; an older one is drawn when it is requested. */
const MAX_WAITING = 20_000;
/** Drawings at once where they do not wait for an idle worker: as many as threads draw. */
const IMMEDIATE_DRAWINGS = 2;

export interface FigureDrawingDependencies {
  /** `idle`: newest first, one at a time, while the worker is idle. `immediate`: as they come. */
  mode: 'idle' | 'immediate';
  /** Draws the figure whose picture has this path, unless it is drawn. */
  draw(picture: string): Promise<void>;
  /** Resolves when the worker has nothing to do for runs; rejects with the signal's reason. */
  untilIdle(signal: AbortSignal): Promise<void>;
  files: Pick<ArtifactFiles, 'undrawnFigures'>;
  log: Pick<Logger, 'warn'>;
}

export type FigureDrawing = ReturnType<typeof createFigureDrawing>;

/**
 * Draws the figures that this worker has described. No run waits for a picture: one that is requested before it is drawn
 * is drawn by the process that has the request.
 */
export function createFigureDrawing({ mode, draw, untilIdle, files, log }: FigureDrawingDependencies) {
  const isIdleMode = mode === 'idle';
  /** Pictures that are not drawn yet, the oldest first. */
  const waiting: string[] = [];
  const stopping = new AbortController();
  const drawings = new Set<Promise<void>>();

  async function drawNext(): Promise<void> {
    if (isIdleMode) await untilIdle(stopping.signal);
    const picture = isIdleMode ? waiting.pop() : waiting.shift();
    if (picture === undefined) return;
    try {
      await draw(picture);
    } catch (thrown) {
      log.warn({ picture, error: messageOf(thrown) }, 'a figure is not drawn');
    }
  }

  async function drawAll(): Promise<void> {
    try {
      while (waiting.length > 0 && !stopping.signal.aborted) await drawNext();
    } catch (thrown) {
      if (!stopping.signal.aborted) throw thrown;
    }
  }

  /** Has a figure drawn whose description is stored. */
  function add(picture: string): void {
    waiting.push(picture);
    if (isIdleMode && waiting.length > MAX_WAITING) waiting.shift();
    if (stopping.signal.aborted || drawings.size >= (isIdleMode ? 1 : IMMEDIATE_DRAWINGS)) return;
    const drawing: Promise<void> = drawAll().finally(() => drawings.delete(drawing));
    drawings.add(drawing);
  }

  return {
    add,

    /**
     * Has the figures of a run drawn that another worker has described and not drawn, where figures are drawn
     * immediately: it may have died. Returns at once.
     */
    endRun(run: Pick<HeldRun, 'project_id' | 'chip_id' | 'execution_id'>): void {
      if (isIdleMode) return;
      files.undrawnFigures(run).then(
        (pictures) => pictures.forEach(add),
        (thrown: unknown) =>
          log.warn(
            { execution_id: run.execution_id, error: messageOf(thrown) },
            'figures are not looked for',
          ),
      );
    },

    /** Ends when the drawings at hand have ended; what waits is drawn when it is requested. */
    async end(): Promise<void> {
      stopping.abort();
      await Promise.all(drawings);
    },
  };
}

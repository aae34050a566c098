import { defineArea } from '../../kernel/area.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { QueueFull, type Share } from '../../kernel/fair-queue.ts';
import { createLimitedProcesses, ProcessJobEnded } from '../../kernel/limited-processes.ts';
import { compiledModule } from '../../kernel/package-root.ts';
import type { ConvertedImage, ImageAnswer, ImageJob } from './model.ts';
import { formatOf } from './rules.ts';

export type ImageProcessing = ReturnType<typeof imageProcessing.create>;

/** A process needs up to 200 MB for the largest image. `jobMs` is the fallback if the decoder exceeds its own limit of 10 s. */
const LIMITS = {
  processes: 2,
  processesPerUser: 1,
  waiting: 40,
  waitingPerUser: 10,
  jobMs: 15_000,
  idleMs: 60_000,
};

/**
 * Decodes and draws uploaded images in separate processes, so that they do not slow down logins or file reads.
 * Users share these processes equally.
 */
export const imageProcessing = defineArea({
  name: 'imageProcessing',
  indexes: [],
  create() {
    const processes = createLimitedProcesses<ImageJob, ImageAnswer>(
      compiledModule('shared/domain/image-processing/process.ts'),
      LIMITS,
    );

    async function draw(share: Share, job: ImageJob, signal?: AbortSignal): Promise<ConvertedImage> {
      // Other files are rejected before they reach a process.
      if (formatOf(job.content) === null) throw refused('Upload a PNG, JPEG, GIF or WebP image.');
      const answer = await processes.run(share, job, signal).catch((thrown: unknown) => {
        if (thrown instanceof QueueFull) throw tooMany(thrown);
        if (thrown instanceof ProcessJobEnded) {
          throw refused('The image is broken, or takes too long to draw.', thrown);
        }
        throw thrown;
      });
      if ('problem' in answer) throw refused(answer.problem);
      return answer;
    }

    return {
      /**
       * Redraws an uploaded image so that only the picture is kept: upright, limited in size, without metadata about
       * camera or location.
       * @throws bad_request for anything but a PNG, JPEG, GIF or WebP within the limits, too_many_requests
       */
      redraw: (share: Share, content: Uint8Array, signal?: AbortSignal) =>
        draw(share, { content, fitTo: null }, signal),

      /**
       * Draws an image as a PNG whose longest side has at most `side` pixels.
       * @throws as `redraw`
       */
      fitTo: async (share: Share, content: Uint8Array, side: number, signal?: AbortSignal) =>
        (await draw(share, { content, fitTo: side }, signal)).content,

      /** Ends the processes. */
      close: () => processes.destroy(),
    };
  },
  close: async (operations) => operations.close(),
});

function refused(message: string, cause?: unknown): CalibronError {
  return new CalibronError('bad_request', message, { cause });
}

function tooMany({ scope }: QueueFull): CalibronError {
  return new CalibronError(
    'too_many_requests',
    scope === 'user'
      ? 'Too many of your images are being processed; wait for one of them.'
      : 'Too many images are being processed; try again.',
    { retryAfter: 5 },
  );
}

import { isError } from '../../kernel/errors.ts';
import type { Share } from '../../kernel/fair-queue.ts';
import type { ImageProcessing } from '../image-processing/index.ts';
import type { ModelSettings, Turn } from './model.ts';

interface Fitting {
  model: Pick<ModelSettings, 'max_images' | 'max_image_edge'>;
  share: Share;
  signal: AbortSignal;
}

/**
 * Converts the pictures of turns to what the model accepts: PNG, scaled to its maximum edge, and only the newest ones if
 * there are too many. A picture that cannot be read is left out.
 * @throws too_many_requests, the signal's reason
 */
export async function withFittingImages(
  imageProcessing: Pick<ImageProcessing, 'fitTo'>,
  turns: readonly Turn[],
  { model, share, signal }: Fitting,
): Promise<Turn[]> {
  let room = model.max_images;
  const fitting: Turn[] = [];
  for (const turn of [...turns].reverse()) {
    const taken = (turn.images ?? []).slice(0, room);
    room -= taken.length;
    const images: Uint8Array[] = [];
    for (const image of taken) {
      const scaled = await imageProcessing
        .fitTo(share, image, model.max_image_edge, signal)
        .catch((thrown: unknown) => {
          // Not a picture: it is left out, and the question can still be answered.
          if (isError(thrown, 'bad_request')) return null;
          throw thrown;
        });
      if (scaled) images.push(scaled);
    }
    fitting.unshift({ ...turn, images });
  }
  return fitting;
}

import type { ModelSettings, Turn } from './model.ts';

/** Pixels of a picture that is read at all; a small file may unfold to any size. */
const MAX_PIXELS = 100_000_000;

/**
 * Turns with their pictures as the model takes them: PNG, brought down to its longest edge, the newest ones when there
 * are too many. A picture that cannot be read is left out.
 */
export async function withFittingImages(
  { max_images, max_image_edge }: Pick<ModelSettings, 'max_images' | 'max_image_edge'>,
  turns: readonly Turn[],
): Promise<Turn[]> {
  let room = max_images;
  const fitting: Turn[] = [];
  for (const turn of [...turns].reverse()) {
    const taken = (turn.images ?? []).slice(0, room);
    room -= taken.length;
    const images: Uint8Array[] = [];
    for (const image of taken) {
      const scaled = await scaledTo(max_image_edge, image);
      if (scaled) images.push(scaled);
    }
    fitting.unshift({ ...turn, images });
  }
  return fitting;
}

async function scaledTo(edge: number, image: Uint8Array): Promise<Uint8Array | null> {
  const { default: sharp } = await import('sharp');
  try {
    return await sharp(image, { limitInputPixels: MAX_PIXELS })
      .resize({ width: edge, height: edge, fit: 'inside', withoutEnlargement: true })
      .png()
      .toBuffer();
  } catch {
    // Not a picture: the model sees one less, and the question stays answerable.
    return null;
  }
}

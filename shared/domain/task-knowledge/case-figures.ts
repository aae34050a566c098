import { extname } from 'node:path';
import { CalibronError } from '../../kernel/errors.ts';
import type { OpenFile } from '../../kernel/files/paths.ts';
import type { Artifacts } from '../artifacts/index.ts';
import type { Images } from '../images/index.ts';
import { imageAt } from '../images/rules.ts';
import type { KnowledgeCaseDocument } from '../knowledge-cases/model.ts';

/** Bytes of one picture beside a page, and of all beside one. */
const MAX_PICTURE_BYTES = 5 * 1024 * 1024;
const MAX_BYTES = 20 * 1024 * 1024;

/** A picture of a case: a file to stand beside its page, or one that stays where it is in the web. */
export type CasePicture = { ending: string; content: Buffer } | { address: string };

/** Reads the pictures of cases: figures of their results, and images in their issues. */
export function createCaseFigures(needs: {
  artifacts: Pick<Artifacts, 'open'>;
  images: Pick<Images, 'ofProject'>;
}) {
  const { artifacts, images } = needs;

  /** Null where it is gone, too large or another project's: the page does without it. */
  async function read(open: () => Promise<OpenFile>, room: number): Promise<Buffer | null> {
    try {
      const { handle, size } = await open();
      try {
        return size <= Math.min(room, MAX_PICTURE_BYTES) ? await handle.readFile() : null;
      } finally {
        await handle.close();
      }
    } catch (thrown) {
      if (thrown instanceof CalibronError) return null;
      throw thrown;
    }
  }

  /** The pictures of a case, in order. */
  return async (stored: KnowledgeCaseDocument): Promise<CasePicture[]> => {
    const { project_id: project, figure_paths, thread_image_urls } = stored;
    const pictures: CasePicture[] = [];
    let room = MAX_BYTES;
    const add = (content: Buffer | null, name: string) => {
      if (!content) return;
      room -= content.length;
      pictures.push({ ending: extname(name).toLowerCase(), content });
    };
    for (const path of figure_paths) {
      add(await read(() => artifacts.open(path, { kinds: ['.png'], project }), room), path);
    }
    for (const address of thread_image_urls) {
      const image = imageAt(address);
      if (image) add(await read(() => images.ofProject(project, image), room), image.name);
      else if (/^https?:\/\//i.test(address)) pictures.push({ address });
    }
    return pictures;
  };
}

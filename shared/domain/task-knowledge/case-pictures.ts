import { CalibronError, isError } from '../../kernel/errors.ts';
import type { OpenFile } from '../../kernel/files/paths.ts';
import type { Artifacts } from '../artifacts/index.ts';
import type { Images } from '../images/index.ts';
import { imageAt } from '../images/rules.ts';
import type { KnowledgeCaseDocument } from '../knowledge-cases/model.ts';
import { MAX_PICTURE_BYTES } from './rules.ts';

/** A picture of a case with its name there; the content is null if it is missing, too large, or not of the project. */
export interface CasePicture {
  address: string;
  content: Buffer | null;
}

/** Reads the pictures of cases: figures of their results, and images in their issues. */
export function createCasePictures(needs: {
  artifacts: Pick<Artifacts, 'open'>;
  images: Pick<Images, 'ofProject'>;
}) {
  const { artifacts, images } = needs;

  async function read(open: () => Promise<OpenFile>, room: number): Promise<Buffer | null> {
    if (room <= 0) return null;
    try {
      const { handle, size } = await open();
      try {
        return size <= Math.min(room, MAX_PICTURE_BYTES) ? await handle.readFile() : null;
      } finally {
        await handle.close();
      }
    } catch (thrown) {
      if (thrown instanceof CalibronError && !isError(thrown, 'too_many_requests')) return null;
      throw thrown;
    }
  }

  /** The pictures of a case, in order. @param room maximum bytes of all pictures */
  return async (stored: KnowledgeCaseDocument, room: number): Promise<CasePicture[]> => {
    const { project_id: project, figure_paths, thread_image_urls } = stored;
    const pictures: CasePicture[] = [];
    let left = room;
    const add = (address: string, content: Buffer | null) => {
      left -= content?.length ?? 0;
      pictures.push({ address, content });
    };
    for (const path of figure_paths) {
      add(path, await read(() => artifacts.open(path, { kinds: ['.png'], project }), left));
    }
    for (const address of thread_image_urls) {
      const image = imageAt(address);
      add(address, image ? await read(() => images.ofProject(project, image), left) : null);
    }
    return pictures;
  };
}

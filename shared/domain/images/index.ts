import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { defineArea, type Kernel } from '../../kernel/area.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { replaceFile } from '../../kernel/files/atomic-write.ts';
import { noSuchFile, type OpenFile, openInside } from '../../kernel/files/paths.ts';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import { insertNew } from '../../kernel/insert-new.ts';
import { newId } from '../../kernel/new-ids.ts';
import { assertRoomWithin } from '../../kernel/quotas.ts';
import { type SharingAccount, shareUserId } from '../../kernel/sharing-accounts.ts';
import type { ImageProcessing } from '../image-processing/index.ts';
import { createImageCollection } from './collection.ts';
import { type ImageDocument, type ImagePlace, imageMediaTypes } from './model.ts';
import { isImageName } from './rules.ts';
import type { ImageSettings } from './settings.ts';

/** Inside a project's directory; no chip name begins with this prefix. */
const DIRECTORY = '_images';
const MIB = 1024 * 1024;

export type Images = ReturnType<typeof images.create>;

/** Images embedded in texts. An image belongs to a project, and is deleted with it or when no text shows the image. */
export const images = defineArea({
  name: 'images',
  indexes: [
    {
      collection: 'images',
      indexes: [
        { name: 'by_name', key: { name: 1 }, unique: true },
        { name: 'sizes', key: { project_id: 1, bytes: 1 } },
        { name: 'by_state', key: { state: 1, created_at: 1 } },
      ],
    },
  ],
  create({
    db,
    settings,
    imageProcessing,
  }: Kernel<ImageSettings> & { imageProcessing: Pick<ImageProcessing, 'redraw'> }) {
    const documents = db.collection<ImageDocument>('images');
    const { CALIB_DATA_PATH: root, IMAGES_MIB_PER_PROJECT: limit } = settings;

    async function assertRoom(projectId: ProjectId): Promise<void> {
      const [sum] = await documents
        .aggregate<{ bytes: number }>([
          { $match: { project_id: projectId } },
          { $group: { _id: '$project_id', bytes: { $sum: '$bytes' } } },
        ])
        .toArray();
      const quota = {
        holder: 'This project',
        things: 'MiB of images',
        limit,
        setting: 'IMAGES_MIB_PER_PROJECT',
        remedy: 'Use images that are there',
      } as const;
      assertRoomWithin(quota, Math.floor((sum?.bytes ?? 0) / MIB));
    }

    const pathIn = ({ project_id, place, name }: Pick<ImageDocument, 'project_id' | 'place' | 'name'>) =>
      join(root, project_id, DIRECTORY, place, name);

    /** @throws not_found */
    async function open(path: string): Promise<OpenFile & { mediaType: string }> {
      const file = await openInside(root, path);
      if (typeof file === 'string') throw noSuchFile();
      const ending = path.slice(path.lastIndexOf('.') + 1);
      return { ...file, mediaType: imageMediaTypes[ending] ?? 'application/octet-stream' };
    }

    return {
      ...createImageCollection(documents, pathIn),

      /**
       * Redraws an upload and stores the result.
       * @returns the image's name
       * @throws bad_request, quota_exceeded, too_many_requests
       */
      async keep(
        { projectId, user }: { projectId: ProjectId; user: SharingAccount },
        place: ImagePlace,
        upload: Buffer,
      ): Promise<string> {
        await assertRoom(projectId);
        const share = { user: shareUserId(user), project: projectId };
        const { content, ending } = await imageProcessing.redraw(share, upload);
        const name = `${newId()}.${ending}`;
        const directory = join(root, projectId, DIRECTORY, place);
        await mkdir(directory, { recursive: true });
        await replaceFile(join(directory, name), content, { durable: true });
        await insertNew(documents, {
          _id: keyOf(projectId, name),
          project_id: projectId,
          name,
          place,
          bytes: content.length,
          uploaded_by_user_id: user._id,
          state: 'waiting',
          created_at: new Date(),
        });
        return name;
      },

      /** Path of an image within the calibration data. @throws bad_request for an invalid image name, not_found */
      async pathOf(place: ImagePlace, name: string): Promise<string> {
        if (!isImageName(name)) throw new CalibronError('bad_request', 'This is not the name of an image.');
        const found = await documents.findOne({ name });
        if (found?.place !== place || found.state === 'leaving') throw noSuchFile();
        return pathIn(found);
      },

      /** Opens an image by its path. @throws not_found */
      open,

      /** Opens an image of a project. @throws not_found, also for images of other projects */
      async ofProject(projectId: ProjectId, { place, name }: { place: ImagePlace; name: string }) {
        const found = await documents.findOne({ _id: keyOf(projectId, name) });
        if (found?.place !== place) throw noSuchFile();
        return open(pathIn(found));
      },
    };
  },
});

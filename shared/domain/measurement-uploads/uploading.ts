import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CalibronError } from '../../kernel/errors.ts';
import { createFairQueue, QueueFull } from '../../kernel/fair-queue.ts';
import { locate } from '../../kernel/files/paths.ts';
import type { KernelSettings } from '../../kernel/settings.ts';
import type { ArtifactSettings } from '../artifacts/settings.ts';
import { executionDirectory } from '../executions/index.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { UploadClaims, UploadedFile } from './model.ts';

/** Maximum number of a measurement's files. */
const FILES = 32;
const MIB = 1024 * 1024;
/** Limits of concurrent uploads per process; uploads of one measurement run one after the other. */
const UPLOADS = { atOnce: 16, atOncePerUser: 1, waiting: 200, waitingPerUser: 32 };

/** Stores files of running measurements in the directories of their executions. */
export function createUploading(
  {
    CALIB_DATA_PATH: root,
    RAW_DATA_MIB: mib,
  }: Pick<KernelSettings, 'CALIB_DATA_PATH'> & Pick<ArtifactSettings, 'RAW_DATA_MIB'>,
  results: Pick<TaskResultStore, 'get'>,
) {
  const queue = createFairQueue(UPLOADS);
  const tooLarge = () =>
    new CalibronError(
      'too_large',
      `The files of a measurement have at most ${mib} MiB (RAW_DATA_MIB), and are at most ${FILES}.`,
    );

  /** The directory of a measurement's files. @throws not_authenticated if the measurement has ended */
  async function directoryOf({ project_id, task_id, rows }: UploadClaims): Promise<string> {
    const stored = await Promise.all(rows.map((row) => results.get(project_id, row)));
    const running = stored.find((row) => row?.status === 'running' && !row.outcome);
    if (!running) {
      throw new CalibronError('not_authenticated', 'The measurement of this token has ended.');
    }
    const data = join(executionDirectory(root, running), 'raw_data');
    await mkdir(join(data, task_id), { recursive: true });
    const place = await locate(data, task_id);
    if (typeof place === 'string') throw new Error('the directory of the measurement is a link');
    return place.path;
  }

  /** Maximum bytes of a file with this name within the measurement's limits. @throws too_large */
  async function roomIn(directory: string, name: string): Promise<number> {
    const others = (await readdir(directory)).filter((each) => each !== name && !each.startsWith('.'));
    const sizes = await Promise.all(others.map(async (each) => (await stat(join(directory, each))).size));
    const left = mib * MIB - sizes.reduce((sum, size) => sum + size, 0);
    if (others.length >= FILES || left <= 0) throw tooLarge();
    return left;
  }

  async function write(directory: string, name: string, content: Readable): Promise<UploadedFile> {
    const counting = countingUpTo(await roomIn(directory, name), tooLarge);
    const path = join(directory, name);
    const partial = join(directory, `.${randomUUID()}.partial`);
    const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
    try {
      const file = await open(partial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o644);
      await pipeline(content, counting.stream, file.createWriteStream({ flush: true }));
      await rename(partial, path);
    } finally {
      await rm(partial, { force: true });
    }
    return { path, size: counting.size() };
  }

  return {
    /** Maximum bytes of a measurement's files. */
    limit: mib * MIB,

    /**
     * Stores a file of a measurement atomically; a file of the same name is replaced.
     * @throws not_authenticated if the measurement has ended, too_large beyond RAW_DATA_MIB or 32 files of a measurement,
     *   too_many_requests
     */
    async upload(claims: UploadClaims, name: string, content: Readable): Promise<UploadedFile> {
      const share = { user: claims.share_user_id ?? claims.project_id, project: claims.project_id };
      try {
        return await queue.run(share, async () => write(await directoryOf(claims), name, content));
      } catch (thrown) {
        if (!(thrown instanceof QueueFull)) throw thrown;
        throw new CalibronError('too_many_requests', 'Too many files are being uploaded; try again.', {
          retryAfter: 5,
        });
      }
    },
  };
}

/** Passes bytes through and fails beyond a limit. */
function countingUpTo(limit: number, tooLarge: () => CalibronError): { stream: Transform; size(): number } {
  let passed = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      passed += chunk.length;
      if (passed > limit) done(tooLarge());
      else done(null, chunk);
    },
  });
  return { stream, size: () => passed };
}

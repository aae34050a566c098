import { access, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Collection } from 'mongodb';
import { replaceFile } from '../../kernel/files/atomic-write.ts';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import type { FlowDocument } from './saved-flow-model.ts';
import type { VersionStore } from './version-store.ts';

export type FlowFiles = ReturnType<typeof createFlowFiles>;

/** Copies of flows for people, in `<DATA_DIR>/flows`. Their paths are not stored, so that the data directory may move. */
export function createFlowFiles(
  flows: Collection<FlowDocument>,
  { version }: Pick<VersionStore, 'version'>,
  dataDirectory: string,
) {
  const pathOf = (projectId: ProjectId, name: string) =>
    join(dataDirectory, 'flows', projectId, `${name}.ts`);

  /**
   * Updates the file of a flow to match its record. Writes again if the record changed meanwhile, so that the last file written,
   * by any process, has the current code.
   */
  async function keep(projectId: ProjectId, name: string): Promise<void> {
    const currentHash = async () => {
      const flow = await flows.findOne({ _id: keyOf(projectId, name) }, { projection: { hash: 1 } });
      return flow?.hash ?? null;
    };
    const file = pathOf(projectId, name);
    for (let hash = await currentHash(); ; ) {
      const current = hash === null ? null : await version(projectId, name, hash);
      if (current) {
        await mkdir(dirname(file), { recursive: true });
        await replaceFile(file, current.source);
      } else if (hash === null) await rm(file, { force: true });
      const now = await currentHash();
      if (now === hash) return;
      hash = now;
    }
  }

  return { pathOf, keep, exists };
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

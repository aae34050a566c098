import { entriesBelow, type FoundEntry } from '../../kernel/files/directory-walk.ts';
import type { TreeEntry } from './model.ts';

/** Maximum depth that is shown. The service writes nothing deeper; deeper entries from other sources are left out. */
const SHOWN_LEVELS = 32;

/** The shown files and directories below a directory, directories first, then by name. */
export async function treeOf(directory: string, isShown: (path: string) => boolean): Promise<TreeEntry[]> {
  const root: TreeEntry[] = [];
  const listOf = new Map<string, TreeEntry[]>([['', root]]);
  for (const { kind, name, relativePath } of await entriesBelow(directory)) {
    if (relativePath.split('/').length > SHOWN_LEVELS || !isShown(relativePath)) continue;
    const entry: TreeEntry = { name, path: relativePath, type: kind, children: null };
    const parent = relativePath.slice(0, Math.max(relativePath.length - name.length - 1, 0));
    listOf.get(parent)?.push(entry);
    if (kind === 'directory') listOf.set(relativePath, []);
  }
  return assemble(root, listOf);
}

function assemble(entries: TreeEntry[], listOf: ReadonlyMap<string, TreeEntry[]>): TreeEntry[] {
  const order = (kind: FoundEntry['kind']) => (kind === 'directory' ? 0 : 1);
  return entries
    .map((entry) => {
      const children = listOf.get(entry.path) ?? [];
      return { ...entry, children: children.length > 0 ? assemble(children, listOf) : null };
    })
    .sort((a, b) => order(a.type) - order(b.type));
}

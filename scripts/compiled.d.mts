/** What the compiler reads and what tells it how. */
export const compiledFrom: { folders: string[]; files: string[] };
/** Name of the file beside what was compiled that says what it was compiled from. */
export const STAMP: string;
/** Digest of what a tree is compiled from. */
export function digestOfSources(tree: string): string;
/** What the stamp says of compiled files, which lie below `folder`. */
export function stampOf(sources: string, folder: string): string;
/** Whether the compiled files of a tree are those of the sources with this digest, none changed, away or too many. */
export function isCompiled(tree: string, sources?: string): boolean;

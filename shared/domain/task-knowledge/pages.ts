import { readdir, stat } from 'node:fs/promises';
import { dirname, extname, join, posix } from 'node:path';
import { openInside } from '../../kernel/files/paths.ts';
import type { KnowledgeImage, TaskKnowledge } from './model.ts';
import {
  type ImageReference,
  idsOfCase,
  imagesOf,
  promptText,
  readCasePage,
  readTaskPage,
  reviewPromptText,
} from './page-rules.ts';
import { KNOWLEDGE_CATEGORIES, MAX_PICTURE_BYTES } from './rules.ts';

/** Maximum bytes of a page. */
const MAX_PAGE_BYTES = 512 * 1024;
/** First bytes of the picture formats that clients display. */
const MAGIC = [
  Buffer.from([0x89, 0x50, 0x4e, 0x47]),
  Buffer.from([0xff, 0xd8, 0xff]),
  Buffer.from('GIF8', 'latin1'),
  Buffer.from('RIFF', 'latin1'),
];
/** Milliseconds for which files are not checked again for changes. */
const RECHECK_INTERVAL = 1000;

/** Knowledge about a task, with the page it was read from. */
export interface KnownTask extends TaskKnowledge {
  page: string;
  /** Ids of the knowledge cases whose exported pages are among the task's cases. */
  caseIds: string[];
}

/**
 * Pages about tasks, `<category>/<task>/index.md`, read again if any of their files changed.
 * @param directories the first one that contains a task's folder is used
 */
export function createPages(directories: readonly string[]): () => Promise<ReadonlyMap<string, KnownTask>> {
  let kept: { state: string; pages: ReadonlyMap<string, KnownTask> } | undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<ReadonlyMap<string, KnownTask>> | undefined;

  async function check(): Promise<ReadonlyMap<string, KnownTask>> {
    const files = (await Promise.all(directories.map(filesBelow))).flat();
    const state = files.map(({ path, changed }) => `${path} ${changed}`).join('\n');
    if (kept?.state !== state) kept = { state, pages: await readAll(files.map(({ path }) => path)) };
    checkedAt = performance.now();
    return kept.pages;
  }

  return () => {
    if (kept && performance.now() - checkedAt < RECHECK_INTERVAL) return Promise.resolve(kept.pages);
    checking ??= check().finally(() => {
      checking = undefined;
    });
    return checking;
  };
}

async function filesBelow(directory: string): Promise<{ path: string; changed: string }[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(
    paths.sort().map(async (path) => {
      const found = await stat(path).catch(() => null);
      return { path, changed: found ? `${found.mtimeMs}/${found.size}` : 'gone' };
    }),
  );
}

async function readAll(paths: readonly string[]): Promise<ReadonlyMap<string, KnownTask>> {
  const pages = new Map<string, KnownTask>();
  for (const path of paths) {
    const [category = '', name = '', file] = path.split('/').slice(-3);
    if (file !== 'index.md' || !Object.hasOwn(KNOWLEDGE_CATEGORIES, category) || pages.has(name)) continue;
    const folder = path.slice(0, -'/index.md'.length);
    const casePages = paths.filter(
      (each) => each.includes(`/${category}/${name}/cases/`) && each.endsWith('.md'),
    );
    const known = await readFolder(folder, category, name, casePages);
    if (known) pages.set(name, known);
  }
  return pages;
}

async function readFolder(
  folder: string,
  category: string,
  name: string,
  casePages: readonly string[],
): Promise<KnownTask | null> {
  const page = await readText(folder, 'index.md');
  if (page === null) return null;
  const review_markdown = (await readText(folder, 'review.md')) ?? '';
  const cases: TaskKnowledge['cases'] = [];
  const caseIds: string[] = [];
  for (const path of casePages) {
    // A lab can also add cases to a shipped page.
    const home = dirname(dirname(path));
    const text = await readText(home, path.slice(home.length + 1));
    if (text === null) continue;
    const images = await loadImages(home, 'cases', imagesOf(text, 'case'));
    cases.push({ ...readCasePage(text), images });
    caseIds.push(...idsOfCase(text));
  }
  const content = {
    ...readTaskPage(page, name),
    name,
    category,
    images: await loadImages(folder, '.', imagesOf(page)),
    review_markdown,
    review_images: await loadImages(folder, '.', imagesOf(review_markdown, 'review')),
    cases,
  };
  return {
    ...content,
    prompt_text: promptText(content),
    review_prompt_text: reviewPromptText(content),
    page,
    caseIds,
  };
}

async function readText(folder: string, path: string): Promise<string | null> {
  const bytes = await readBytes(folder, path, MAX_PAGE_BYTES);
  return bytes?.toString('utf8') ?? null;
}

async function readBytes(folder: string, path: string, limit: number): Promise<Buffer | null> {
  const file = await openInside(folder, path);
  if (typeof file === 'string') return null;
  try {
    return file.size <= limit ? await file.handle.readFile() : null;
  } finally {
    await file.handle.close();
  }
}

async function loadImages(
  folder: string,
  below: string,
  references: readonly ImageReference[],
): Promise<KnowledgeImage[]> {
  return Promise.all(
    references.map(async (reference) => {
      const isElsewhere = /^(?:[a-z]+:|\/)/i.test(reference.relative_path);
      const path = posix.join(below, reference.relative_path);
      const bytes = isElsewhere ? null : await readBytes(folder, path, MAX_PICTURE_BYTES);
      const isImage = bytes !== null && MAGIC.some((magic) => bytes.subarray(0, magic.length).equals(magic));
      return { ...reference, base64_data: isImage ? bytes.toString('base64') : '' };
    }),
  );
}

const mediaTypes: Readonly<Record<string, string>> = {
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
};

/** The media type of a picture, from its file name extension. */
export function mediaTypeOf({ relative_path }: Pick<KnowledgeImage, 'relative_path'>): string {
  return mediaTypes[extname(relative_path).toLowerCase()] ?? 'image/png';
}

/** A picture as a data URI; null if its content is missing. */
export function dataUriOf({ relative_path, base64_data }: KnowledgeImage): string | null {
  if (base64_data === '') return null;
  return `data:${mediaTypeOf({ relative_path })};base64,${base64_data}`;
}

import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path/posix';
import MarkdownIt from 'markdown-it';
import { z } from 'zod';
import { builtName, guidePages } from './contents.ts';
import { drawDiagram } from './diagrams.ts';
import { headingName } from './headings.ts';

/** A part of a page, for the search. */
export interface SearchedPart {
  id: string;
  page: string;
  heading: string;
  text: string;
}

/** What a page has besides its text. */
export interface ReadPage {
  file: string;
  /** Names of its headings. */
  names: string[];
  parts: SearchedPart[];
  /** Links to other pages: the built file and the name of a heading, empty if there is none. */
  links: { page: string; name: string }[];
  /** Linked files that are not pages, as paths in the repository. A container's build has few of them. */
  files: string[];
  /** Images, as paths in the repository. */
  images: string[];
  /** Messages about what is wrong. */
  problems: string[];
}

type Tokens = ReturnType<MarkdownIt['parse']>;

const pageOf = new Map(guidePages.map((page) => [page.file, builtName(page)]));
/** What templates hand to markdown-it. */
const templateData = z.object({ file: z.string(), title: z.string() });

/**
 * Renders the markdown files of a repository as pages of the guide. A link to a file that is not a page of the guide becomes the
 * name of that file, because an installation has no address of the repository.
 * @param root folder of the repository
 * @returns the renderer, and the pages that it has read so far, by their built file
 */
export function createPageRendering(root: string): { markdown: MarkdownIt; read: Map<string, ReadPage> } {
  const read = new Map<string, ReadPage>();
  const markdown = new MarkdownIt({ html: false });
  // Marks in comments are for scripts.
  markdown.core.ruler.before('normalize', 'comments', (state) => {
    state.src = state.src.replaceAll(/<!--[\s\S]*?-->\n?/g, '');
  });
  markdown.core.ruler.push('guide', ({ env, tokens }) => {
    const { file, title } = templateData.parse(env);
    const page: ReadPage = { file, names: [], parts: [], links: [], files: [], images: [], problems: [] };
    nameHeadings(tokens, page);
    collectParts(tokens, page, { file: pageOf.get(file) ?? '', title });
    for (const [index, token] of tokens.entries()) {
      alignByClass(token);
      if (token.type === 'fence' && token.info === 'mermaid') drawInPlace(token, `diagram-${index}`, page);
      if (token.children) rewriteLinks(root, file, token.children, page);
    }
    read.set(pageOf.get(file) ?? '', page);
  });
  return { markdown, read };
}

function nameHeadings(tokens: Tokens, page: ReadPage): void {
  const used = new Map<string, number>();
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue;
    const name = headingName(textOf(tokens[index + 1]?.children ?? []), used);
    token.attrSet('id', name);
    page.names.push(name);
  }
}

/** The content security policy of the guide allows no style in attributes. */
function alignByClass(token: Tokens[number]): void {
  const style = token.attrGet('style');
  if (style === null) return;
  token.attrs = (token.attrs ?? []).filter(([name]) => name !== 'style');
  if (style.includes('right')) token.attrSet('class', 'number');
}

/** Replaces a Mermaid text by its picture. */
function drawInPlace(token: Tokens[number], name: string, page: ReadPage): void {
  try {
    token.content = drawDiagram(token.content, name);
    token.type = 'html_block';
  } catch (error) {
    page.problems.push(`${page.file} has a diagram that cannot be drawn: ${String(error)}`);
  }
}

function collectParts(tokens: Tokens, page: ReadPage, of: { file: string; title: string }): void {
  let part: SearchedPart = { id: of.file, page: of.title, heading: '', text: '' };
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      page.parts.push(part);
      const heading = textOf(tokens[index + 1]?.children ?? []);
      part = { id: `${of.file}#${token.attrGet('id')}`, page: of.title, heading, text: '' };
    } else if (token.type === 'inline' && tokens[index - 1]?.type !== 'heading_open') {
      part.text += `${textOf(token.children ?? [])} `;
    } else if (token.type === 'fence' && token.info !== 'mermaid') part.text += `${token.content} `;
  }
  page.parts.push(part);
  page.parts = page.parts.filter(({ heading, text }) => heading !== '' || text.trim() !== '');
}

function textOf(tokens: Tokens): string {
  return tokens.map(({ type, content }) => (type === 'softbreak' ? ' ' : content)).join('');
}

function rewriteLinks(root: string, file: string, tokens: Tokens, page: ReadPage): void {
  const opened: boolean[] = [];
  for (const token of tokens) {
    if (token.type === 'image') rewriteImage(root, file, token, page);
    if (token.type === 'link_open') opened.push(rewriteLink(file, token, page));
    if (token.type === 'link_close' && opened.pop()) token.tag = 'span';
  }
}

/** @returns whether the link became a name without an address */
function rewriteLink(file: string, token: Tokens[number], page: ReadPage): boolean {
  const href = token.attrGet('href') ?? '';
  if (/^[a-z]+:/.test(href)) return false;
  const [path = '', name = ''] = href.split('#');
  const target = path === '' ? file : normalize(join(dirname(file), decodeURI(path))).replace(/\/$/, '');
  const built = pageOf.get(target);
  if (built !== undefined) {
    page.links.push({ page: built, name: decodeURIComponent(name) });
    token.attrSet('href', `${path === '' ? '' : built}${name === '' ? '' : `#${name}`}`);
    return false;
  }
  page.files.push(target);
  token.tag = 'span';
  token.attrs = [
    ['class', 'file'],
    ['title', target],
  ];
  return true;
}

function rewriteImage(root: string, file: string, token: Tokens[number], page: ReadPage): void {
  const source = token.attrGet('src') ?? '';
  const path = normalize(join(dirname(file), source));
  if (!existsSync(join(root, path))) page.problems.push(`${file} shows ${source}, which does not exist.`);
  page.images.push(path);
  token.attrSet('src', path.slice(path.lastIndexOf('/') + 1));
}

import { renderMermaidSVG } from 'beautiful-mermaid';

/** Units of a picture beyond which its text would be too small in the column of the guide. */
const WIDE = 1150;

/**
 * Draws a Mermaid text as an inline picture. Its colours and its type are in the style sheet of the guide, whose content security
 * policy allows no style in a page; so the picture is light or dark with the page.
 * @param name distinguishes the ids of this picture from those of the page and of its other pictures
 * @throws with the reason if the text cannot be drawn
 */
export function drawDiagram(text: string, name: string): string {
  const [, title = name] = /^%% *(.+)/.exec(text) ?? [];
  const drawn = renderMermaidSVG(text.replaceAll(/^%%.*\n/gm, ''), { transparent: true, padding: 8 });
  const svg = drawn
    .replaceAll(/<style>[\s\S]*?<\/style>\s*/g, '')
    .replaceAll(/ (?:style|data-[\w-]+)="[^"]*"/g, '')
    .replaceAll(/ id="([^"]+)"/g, ` id="${name}-$1"`)
    .replaceAll(/url\(#([^)]+)\)/g, `url(#${name}-$1)`)
    .replace('<svg ', `<svg role="img" aria-label="Diagram: ${title}" `);
  const isWide = Number(/ width="([\d.]+)"/.exec(svg)?.[1]) > WIDE;
  // What is scrolled can be reached by keys.
  const figure = isWide ? '<figure class="diagram wide" tabindex="0">' : '<figure class="diagram">';
  return `${figure}\n${svg}\n</figure>\n`;
}

/** The name by which links reach a heading, as GitHub forms it. @param used names of earlier headings of the page */
export function headingName(text: string, used: Map<string, number>): string {
  const name = text
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
  const times = used.get(name) ?? 0;
  used.set(name, times + 1);
  return times === 0 ? name : `${name}-${times}`;
}

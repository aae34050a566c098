const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for elements and attributes of HTML and SVG. */
export function escaped(text: unknown): string {
  return String(text).replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}

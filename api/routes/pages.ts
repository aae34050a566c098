/** The page has no scripts and loads images only from this service. */
export const PAGE_POLICY = "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'";

/** Whether a client prefers HTML to JSON: it names text/html with a quality of at least that of JSON. */
export function prefersPage(accept: string | undefined): boolean {
  const qualities = new Map(
    (accept ?? '').split(',').map((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
      const quality = parameters.find((parameter) => parameter.startsWith('q='));
      return [type, quality === undefined ? 1 : Number(quality.slice(2))] as const;
    }),
  );
  const page = qualities.get('text/html') ?? 0;
  return page > 0 && page >= (qualities.get('application/json') ?? 0);
}

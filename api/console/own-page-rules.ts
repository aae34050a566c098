import type { IncomingHttpHeaders } from 'node:http';

const READING: readonly string[] = ['GET', 'HEAD'];

/**
 * Whether a browser sent a request for a page of this origin, and not for a page of another site.
 *
 * Browsers name the relation of page and address in `Sec-Fetch-Site`, which no page can change. They leave it out over plain
 * HTTP beyond localhost; then `Origin` is compared, which they send with everything that changes something. A reading
 * request without either is allowed: its answer cannot be read by another site, and the session's cookie is not sent for one.
 * @param origins of the service, such as `https://lab.example`
 */
export function isFromOwnPage(request: {
  method: string;
  headers: IncomingHttpHeaders;
  origins: readonly (string | undefined)[];
}): boolean {
  const { method, headers, origins } = request;
  const reads = READING.includes(method);
  const site = headers['sec-fetch-site'];
  // A person who opens an address by hand sends "none".
  if (site !== undefined) return site === 'same-origin' || (site === 'none' && reads);
  if (headers.origin !== undefined) return origins.includes(headers.origin);
  return reads;
}

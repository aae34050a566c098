import { z } from 'zod';

/** Setting: where clients reach the service. A trailing slash is removed. */
export const publicUrl = z
  .string()
  .refine(isPublicUrl, 'must be an address such as https://lab.example/calibron/, without query and user')
  .transform((text) => text.trim().replace(/\/+$/, ''))
  .optional()
  .describe(
    'Where clients reach the API, such as https://lab.example/calibron/. A proxy there removes the path before it forwards a request. Default: the addresses in answers are relative.',
  );

function isPublicUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash, pathname } = new URL(text);
  const isPlain = [username, password, search, hash].every((part) => part === '');
  return /^https?:$/.test(protocol) && isPlain && !pathname.includes('//');
}

/** The path under which clients see the service, with a slash at both ends: `/`, or such as `/calibron/`. */
export function publicPathOf({ PUBLIC_URL }: { PUBLIC_URL?: string | undefined }): string {
  return PUBLIC_URL === undefined ? '/' : `${new URL(PUBLIC_URL).pathname.replace(/\/+$/, '')}/`;
}

import { z } from 'zod';

const tokens = z.object({ access_token: z.string() });

/** Logs in. @returns the access token */
export async function accessTokenOf(
  base: string,
  account: { username: string; password: string },
): Promise<string> {
  const login = await fetch(`${base}/auth/login`, { method: 'POST', body: new URLSearchParams(account) });
  return tokens.parse(await login.json()).access_token;
}

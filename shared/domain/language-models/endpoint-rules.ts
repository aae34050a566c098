import type { ModelSettings } from './model.ts';

/** An allowed address of models, and the environment variable with its key; null if it needs no key. */
export interface Endpoint {
  url: string;
  keyVariable: string | null;
}

/** Default addresses of providers, for models that name no address. */
const own: Readonly<Record<string, Endpoint>> = {
  openai: { url: 'https://api.openai.com/v1', keyVariable: 'OPENAI_API_KEY' },
  anthropic: { url: 'https://api.anthropic.com/v1', keyVariable: 'ANTHROPIC_API_KEY' },
  ollama: { url: 'http://127.0.0.1:11434/v1', keyVariable: null },
};

/** Normalizes an address, so that different spellings compare as equal. */
function plain(url: string): string {
  return URL.canParse(url) ? new URL(url).href.replace(/\/+$/, '') : url;
}

/**
 * The address of a model: the one it names, if an operator allowed it, else its provider's default. A key is bound to its
 * address, so that users who may write the configuration cannot have the key sent elsewhere.
 * @returns null if the address is not allowed, or neither the model nor its provider has one
 */
export function endpointOf(
  { provider, base_url }: Pick<ModelSettings, 'provider' | 'base_url'>,
  allowed: readonly Endpoint[],
): Endpoint | null {
  if (provider === 'rules') return { url: '', keyVariable: null };
  const standard = own[provider] ?? null;
  if (!base_url) return standard;
  const all = standard ? [...allowed, standard] : allowed;
  return all.find(({ url }) => plain(url) === plain(base_url)) ?? null;
}

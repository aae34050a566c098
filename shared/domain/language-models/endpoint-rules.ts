import type { ModelSettings } from './model.ts';

/** An address that models may be asked at, and the environment variable with its key; null for none. */
export interface Endpoint {
  url: string;
  keyVariable: string | null;
}

/** Where providers answer when a model names no address. */
const own: Readonly<Record<string, Endpoint>> = {
  openai: { url: 'https://api.openai.com/v1', keyVariable: 'OPENAI_API_KEY' },
  anthropic: { url: 'https://api.anthropic.com/v1', keyVariable: 'ANTHROPIC_API_KEY' },
  ollama: { url: 'http://127.0.0.1:11434/v1', keyVariable: null },
};

/** Two spellings of an address are one. */
function plain(url: string): string {
  return URL.canParse(url) ? new URL(url).href.replace(/\/+$/, '') : url;
}

/**
 * Where a model is asked: the address it names, if an operator allowed it, else its provider's own. A key is bound to
 * its address, so that whoever may write the configuration cannot have it sent elsewhere.
 * @returns null when the address is not allowed, or the model is none
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

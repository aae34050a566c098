import { z } from 'zod';
import { commaSeparated, type SettingsOf } from '../../kernel/setting-kinds.ts';

/** An address at which language models may be asked, and the environment variable of its key. */
export interface ModelAddress {
  url: string;
  keyVariable: string | null;
}

/** Reads `<address>` or `<address> <variable>`, comma-separated. */
function aiEndpointsOf(text: string | undefined): ModelAddress[] {
  return commaSeparated(text).map((each) => {
    const [url = '', keyVariable = null] = each.split(/\s+/);
    return { url, keyVariable };
  });
}

function areAiEndpoints(text: string): boolean {
  return commaSeparated(text).every((each) => {
    const [url = '', variable = 'NONE', ...more] = each.split(/\s+/);
    if (!URL.canParse(url) || more.length > 0 || !/^[A-Z][A-Z0-9_]*$/.test(variable)) return false;
    const { protocol, username, password } = new URL(url);
    return /^https?:$/.test(protocol) && username === '' && password === '';
  });
}

/** Settings of language models. */
export const languageModelSettings = {
  AI_ENDPOINTS: z
    .string()
    .refine(
      areAiEndpoints,
      'must be addresses such as https://host/v1, each with the name of the environment variable of its key behind it if it has one, comma-separated',
    )
    .optional()
    .transform(aiEndpointsOf)
    .describe(
      'Addresses at which language models may be asked, comma-separated, each with the name of the environment variable that holds its key: `https://host/v1 HOST_KEY, http://gpu:11434/v1`. OpenAI, Anthropic and a local Ollama need not be listed.',
    ),
};
export type LanguageModelSettings = SettingsOf<typeof languageModelSettings>;

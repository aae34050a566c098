import { createConfig, lintFromString } from '@redocly/openapi-core';

const rules = {
  // The server's address is relative, so that the document is right behind any path prefix.
  'no-server-trailing-slash': 'off',
  // The router prefers a literal part to a parameter, as the specification demands.
  'no-ambiguous-paths': 'off',
  // A sign-in with the identity provider begins with a redirection and has no other answer.
  'operation-2xx-response': 'off',
  // It does not see what `x-partial-answer` refers to; a test looks for schemas that nothing refers to.
  'no-unused-components': 'off',
} as const;

/** Violations of Redocly's recommended rules in a document, one message each. */
export async function lintProblems(document: unknown, name: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'], rules });
  const problems = await lintFromString({
    source: JSON.stringify(document),
    absoluteRef: 'openapi.json',
    config,
  });
  return problems.map(({ ruleId, severity, message, location }) => {
    const [place] = location;
    const pointer = place && 'pointer' in place ? String(place.pointer) : '';
    return `${name}${pointer}: ${severity} ${ruleId}: ${message}`;
  });
}

import { stripVTControlCharacters } from 'node:util';
import { wellFormed } from '../../shared/kernel/text.ts';

/** Maximum number of log lines that an update keeps, and maximum characters per line. */
const MAX_LINES = 100;
const MAX_LENGTH = 500;

/** Names of settings whose values must not be shown. */
const SECRET_NAME =
  /SECRET|PASSWORD|PASSWD|PASSPHRASE|TOKEN|CREDENTIAL|WEBHOOK|DSN|(?:^|_)KEYS?(?:_|$)|API_?KEY/i;
/** Minimum length of a secret (or a line of one) that is masked. Shorter ones would mask common words. */
const SHORTEST_SECRET = 6;
/** User and password in a URL. */
const ADDRESS_CREDENTIALS = /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi;

/** Keeps the last output lines of an update's commands, without secrets of the environment. */
export function createLogTail(
  environment: Readonly<Record<string, string | undefined>>,
  earlier: readonly string[] = [],
) {
  const secrets = Object.entries(environment)
    .flatMap(([name, value]) => (SECRET_NAME.test(name) && value !== undefined ? value.split(/\r?\n/) : []))
    .map((line) => line.trim())
    .filter((line) => line.length >= SHORTEST_SECRET)
    .sort((one, other) => other.length - one.length);
  let lines = [...earlier];

  function shown(line: string): string {
    let text = stripVTControlCharacters(line).replace(ADDRESS_CREDENTIALS, '$1…@');
    for (const secret of secrets) text = text.replaceAll(secret, '…');
    return wellFormed(
      text
        .replace(/\p{Control}/gu, ' ')
        .trimEnd()
        .slice(0, MAX_LENGTH),
    );
  }

  return {
    add(line: string): void {
      lines.push(shown(line));
      if (lines.length > MAX_LINES) lines = lines.slice(-MAX_LINES);
    },
    lines: (): string[] => [...lines],
  };
}

export type LogTail = ReturnType<typeof createLogTail>;

import { stripVTControlCharacters } from 'node:util';
import { wellFormed } from '../../shared/kernel/text.ts';

/** Lines that an update keeps, and characters of each. */
const MAX_LINES = 100;
const MAX_LENGTH = 500;

/** Settings whose value is shown nowhere. */
const SECRET_NAME =
  /SECRET|PASSWORD|PASSWD|PASSPHRASE|TOKEN|CREDENTIAL|WEBHOOK|DSN|(?:^|_)KEYS?(?:_|$)|API_?KEY/i;
/** A secret of several lines is printed line by line. What is shorter would blot out common words. */
const SHORTEST_SECRET = 6;
/** User and password in an address. */
const ADDRESS_CREDENTIALS = /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi;

/** The newest lines of what an update's commands printed, without secrets of the environment. */
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

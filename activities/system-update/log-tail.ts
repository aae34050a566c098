import { stripVTControlCharacters } from 'node:util';
import { wellFormed } from '../../shared/kernel/text.ts';

/** Lines that an update keeps, and characters of each. */
const MAX_LINES = 100;
const MAX_LENGTH = 500;

/** Settings whose value is shown nowhere. */
const SECRET_NAME = /SECRET|PASSWORD|PASSWD|TOKEN|CREDENTIAL|(?:^|_)KEYS?(?:_|$)|API_?KEY/i;
/** What is shorter would blot out common words. */
const SHORTEST_SECRET = 6;
/** User and password in an address. */
const ADDRESS_CREDENTIALS = /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi;

/** The newest lines of what an update's commands printed, without secrets of the environment. */
export function createLogTail(
  environment: Readonly<Record<string, string | undefined>>,
  earlier: readonly string[] = [],
) {
  const secrets = Object.entries(environment)
    .flatMap(([name, value]) =>
      SECRET_NAME.test(name) && value !== undefined && value.length >= SHORTEST_SECRET ? [value] : [],
    )
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

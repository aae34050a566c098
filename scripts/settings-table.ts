/** The one table of all settings, made from shared/domain/settings.ts. As a program, writes it into docs/settings.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { settingsSchema } from '../shared/domain/settings.ts';

const page = new URL('../docs/settings.md', import.meta.url);
/** What surrounds the table on the page. */
const PLACE = /(?<=<!-- settings -->\n)[\s\S]*?(?=\n<!-- \/settings -->)/;

export interface SettingRow {
  name: string;
  description: string;
  /** Default value; empty if there is none. */
  fallback: string;
}

/** Every setting in the order of shared/domain/settings.ts. */
export function settingRows(): SettingRow[] {
  const defaults: Record<string, unknown> = settingsSchema.parse({});
  return Object.entries(settingsSchema.shape).map(([name, schema]) => ({
    name,
    description: schema.description ?? '',
    fallback: defaults[name] === undefined ? '' : String(defaults[name]),
  }));
}

/** The table in Markdown. */
export function settingsTable(): string {
  const cell = (text: string) => text.replaceAll('|', '\\|');
  const rows = settingRows().map(
    ({ name, description, fallback }) =>
      `| \`${name}\` | ${fallback === '' ? '' : `\`${cell(fallback)}\``} | ${cell(description)} |`,
  );
  return ['| variable | default | meaning |', '|---|---|---|', ...rows].join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  // A function, because a default may contain a dollar sign.
  writeFileSync(
    page,
    readFileSync(page, 'utf8').replace(PLACE, () => settingsTable()),
  );
}

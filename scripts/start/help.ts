import { settingRows } from '../settings-table.ts';

const TEXT = `npm start starts Calibron: a Temporal server, a database, the API and a worker, and keeps them running.
A simulated instrument runs beside them in a process of its own, as a laboratory's instrument does. On an empty store,
it calibrates a simulated chip of 16 qubits and shows the progress.

  npm start                   start; with the demonstration if there is none yet
  npm start -- --no-demo      start without the demonstration and its instrument; the worker simulates
  npm start -- --stop         stop it from another shell, or stop what a killed npm start left running
  npm start -- --despite-open-runs
                              start even if open runs do not match this release; those runs stand still
  npm start -- --help         this text

Stop     Ctrl-C. Everything stops within 15 s; a second Ctrl-C ends it at once. The data stays.
Reset    rm -rf .data        after stopping: forgets users, results and runs, keeps the cached engines.

Settings are environment variables; an empty one counts as unset:
`;

/** Help text of `npm start -- --help`, for a terminal with the given number of columns. */
export function helpText(columns: number): string {
  const rows = settingRows();
  const width = Math.max(...rows.map(({ name }) => name.length));
  const indent = ' '.repeat(width + 4);
  const textWidth = Math.max(30, columns - indent.length);
  const lines = rows.flatMap(({ name, description, fallback }) => {
    const text = fallback === '' ? description : `${description} Default: ${fallback}`;
    return wrap(text, textWidth).map((line, index) =>
      index === 0 ? `  ${name.padEnd(width)}  ${line}` : indent + line,
    );
  });
  return `${TEXT}\n${lines.join('\n')}\n`;
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

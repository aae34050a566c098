import { CsvError, parse } from 'csv-parse/sync';
import { CalibronError } from '../../kernel/errors.ts';
import { AdministrationError } from './errors.ts';

/** Maximum number of rows of an import file, without its header. */
const MAX_IMPORT_ROWS = 500;

/** Maximum size of a row in bytes; typical rows have a few hundred. */
const MAX_ROW_BYTES = 10_000;
/** Maximum number of columns that an error about unknown columns names. */
const MAX_NAMED = 5;

const columns = ['username', 'display_name', 'organization', 'system_role'] as const;

/** A row of an import file: its cells, trimmed; empty if the file does not have the column. */
export type ImportRow = { row_number: number } & Record<(typeof columns)[number], string>;

/**
 * The rows of a CSV file of accounts. The file must be valid as a whole: UTF-8, with or without a byte order mark, comma
 * separated, with a header of `username` and any of `display_name`, `organization`, `system_role`. Empty rows are skipped;
 * `row_number` is the line of the file in which a row ends.
 * @throws invalid_csv with the problem to fix, too_large
 */
export function readImportFile(file: Uint8Array): ImportRow[] {
  const [header, ...rows] = rowsOf(textOf(file));
  const positions = positionsOf(header?.cells ?? []);
  if (rows.length > MAX_IMPORT_ROWS) {
    throw new CalibronError(
      'too_large',
      `The file has more than ${MAX_IMPORT_ROWS} rows. Import it in parts.`,
    );
  }
  return rows.map(({ cells, line }) => {
    const cell = (column: (typeof columns)[number]) => cells[positions.get(column) ?? -1] ?? '';
    return {
      row_number: line,
      username: cell('username'),
      display_name: cell('display_name'),
      organization: cell('organization'),
      system_role: cell('system_role'),
    };
  });
}

function textOf(file: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(file); // removes a byte order mark
  } catch {
    throw new AdministrationError('invalid_csv', 'The file is not UTF-8. Save it as CSV UTF-8.');
  }
}

interface CsvRow {
  cells: string[];
  /** The line in which the row ends. */
  line: number;
}

/** The rows of the file, header included. Reads one more than the limit, so that the caller can detect too many. */
function rowsOf(text: string): CsvRow[] {
  const rows: CsvRow[] = [];
  try {
    parse(text, {
      on_record: (cells, { lines }) => {
        rows.push({ cells, line: lines });
        return cells;
      },
      trim: true,
      relax_column_count: true,
      record_delimiter: ['\r\n', '\n', '\r'],
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      to: MAX_IMPORT_ROWS + 2,
      max_record_size: MAX_ROW_BYTES,
    });
  } catch (thrown) {
    if (!(thrown instanceof CsvError)) throw thrown;
    const line = String(thrown['lines']);
    throw new AdministrationError(
      'invalid_csv',
      thrown.code === 'CSV_MAX_RECORD_SIZE'
        ? `The row in line ${line} is longer than ${MAX_ROW_BYTES} bytes.`
        : `The quotes in line ${line} do not match.`,
    );
  }
  return rows;
}

/** The first of these names, each truncated. */
function named(names: readonly string[]): string {
  const first = names.slice(0, MAX_NAMED).map((name) => name.slice(0, 40));
  return [...first, ...(names.length > MAX_NAMED ? ['…'] : [])].join(', ');
}

/** Position of each column. */
function positionsOf(names: readonly string[]): Map<string, number> {
  const known = new Set<string>(columns);
  const unknown = [...new Set(names.filter((name) => !known.has(name) && name !== ''))].sort();
  if (!names.includes('username')) {
    throw new AdministrationError('invalid_csv', 'The first row must name the column username.');
  }
  if (unknown.length > 0 || names.includes('')) {
    throw new AdministrationError(
      'invalid_csv',
      `The file has unknown columns: ${named(unknown) || '(without a name)'}. Use ${columns.join(', ')}.`,
    );
  }
  if (new Set(names).size < names.length) {
    throw new AdministrationError('invalid_csv', 'The first row names a column twice.');
  }
  return new Map(names.map((name, index) => [name, index]));
}

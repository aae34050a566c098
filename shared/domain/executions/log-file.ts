import { constants } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { executionDirectory, executionFolder } from './directory-rules.ts';
import type { ExecutionDocument } from './model.ts';

/** Bytes at the end of the file in which its last complete line is found. A line is shorter than half of it. */
const TAIL_BYTES = 128 * 1024;

const LOG_FILE = 'log.jsonl';

/** An entry as a line of the file. */
export interface LogLine {
  index: number;
  created_at: Date;
  kind: 'log' | 'record';
  text: string;
  value: unknown;
}

type Place = Pick<ExecutionDocument, 'project_id' | 'chip_id' | 'execution_id'>;

/** Path of a run's log, relative to the calibration data root. */
export function logFileOf(execution: Place): string {
  return join(executionFolder(execution), LOG_FILE);
}

/**
 * Appends entries to the log of a run, one line of JSON each. Entries that the file has already are skipped, so a repeat adds
 * none twice. All lines of a repeat have the same length, so two processes that append the same entries at once write the same
 * places. A line that a kill cut off is overwritten.
 */
export async function appendToLog(root: string, execution: Place, lines: readonly LogLine[]): Promise<void> {
  if (lines.length === 0) return;
  const directory = executionDirectory(root, execution);
  await mkdir(directory, { recursive: true });
  const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants;
  const file = await open(join(directory, LOG_FILE), O_RDWR | O_CREAT | O_NOFOLLOW, 0o644);
  try {
    const { newest, end } = await endOf(file);
    const text = lines.flatMap((line) => (line.index > newest ? `${textOf(line)}\n` : [])).join('');
    const bytes = Buffer.from(text);
    for (let written = 0; written < bytes.length; ) {
      const { bytesWritten } = await file.write(bytes, written, bytes.length - written, end + written);
      written += bytesWritten;
    }
  } finally {
    await file.close();
  }
}

function textOf({ index, created_at, kind, text, value }: LogLine): string {
  const content = kind === 'log' ? { message: text } : { name: text, value };
  return JSON.stringify({ index, at: created_at.toISOString(), kind, ...content });
}

/** The number of the newest entry in the file, -1 if there is none, and where its line ends. */
async function endOf(file: FileHandle): Promise<{ newest: number; end: number }> {
  const { size } = await file.stat();
  const start = Math.max(0, size - TAIL_BYTES);
  const tail = Buffer.alloc(size - start);
  await file.read(tail, 0, tail.length, start);
  const last = tail.lastIndexOf('\n');
  if (last < 0) return { newest: -1, end: start };
  const line = tail.subarray(tail.lastIndexOf('\n', last - 1) + 1, last).toString('utf8');
  const newest = /^\{"index":(\d+),/.exec(line)?.[1];
  return { newest: newest === undefined ? -1 : Number(newest), end: start + last + 1 };
}

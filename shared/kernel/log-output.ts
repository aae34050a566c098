import { writeSync } from 'node:fs';

/** Milliseconds between attempts to write to a pipe whose reader is behind, and how many are made. */
const PIPE_PAUSE = 10;
const PIPE_ATTEMPTS = 20;

const sleeping = new Int32Array(new SharedArrayBuffer(4));

/** Writes a part of a buffer. @returns the number of bytes that were written */
type WriteCall = (descriptor: number, bytes: Uint8Array, offset: number, length: number) => number;

/**
 * Writes the lines of a log to a file descriptor. A line that cannot be written, because the disk is full or the reader of the
 * pipe is gone, is dropped: a process never ends or stands still because of its log. The first line that can be written again
 * is preceded by one with the number of missing lines and the reason.
 * @param write replaces the system call in tests
 */
export function createLogOutput(descriptor: number, write: WriteCall = writeSync) {
  let missing = 0;
  let reason = '';
  /** The last line was written in part. */
  let isBroken = false;

  /** @throws the error of the system call */
  function writeAll(text: string): void {
    const bytes = Buffer.from(text);
    let written = 0;
    try {
      for (let attempt = 1; written < bytes.length; ) {
        try {
          written += write(descriptor, bytes, written, bytes.length - written);
        } catch (thrown) {
          // Without a reader in sight, only the first line waits for it.
          if (codeOf(thrown) !== 'EAGAIN' || missing > 0 || attempt === PIPE_ATTEMPTS) throw thrown;
          attempt += 1;
          Atomics.wait(sleeping, 0, 0, PIPE_PAUSE);
        }
      }
    } finally {
      if (written > 0) isBroken = written < bytes.length;
    }
  }

  return {
    write(line: string): void {
      try {
        const gap = missing === 0 ? '' : gapLine(missing, reason);
        writeAll(`${isBroken ? '\n' : ''}${gap}${line}`);
        missing = 0;
      } catch (thrown) {
        missing += 1;
        reason = codeOf(thrown);
      }
    },
  };
}

function gapLine(missing: number, reason: string): string {
  const msg = `${missing} lines of this log are missing, because they could not be written (${reason})`;
  return `${JSON.stringify({ level: 40, time: Date.now(), pid: process.pid, missing_lines: missing, reason, msg })}\n`;
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : String(thrown);
}

let isGuarded = false;

/** Ignores errors of the standard streams, which would otherwise end the process: also other code writes there. */
export function guardStandardStreams(): void {
  if (isGuarded) return;
  isGuarded = true;
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}

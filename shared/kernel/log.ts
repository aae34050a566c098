import { type DestinationStream, type Logger, pino } from 'pino';
import { createLogOutput, guardStandardStreams } from './log-output.ts';

export type { Logger };

/** File descriptor of the standard output. */
const STANDARD_OUTPUT = 1;

/** Field names that may hold secrets. Their values are removed from log lines. */
const secretPaths = [
  'password',
  'token',
  'access_token',
  'authorization',
  'hashed_password',
  'secret',
].flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

/** The log of the process: JSON lines on standard output, without secrets. A healthy service logs no errors. */
export function createLog(name: string, level: string, destination?: DestinationStream): Logger {
  const options = { name, level: level.toLowerCase(), redact: { paths: secretPaths, censor: '[removed]' } };
  if (destination) return pino(options, destination);
  guardStandardStreams();
  return pino(options, createLogOutput(STANDARD_OUTPUT));
}

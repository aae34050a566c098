import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger };

/** Field names that may hold a secret: their values never reach a log line. */
const secretPaths = [
  'password',
  'token',
  'access_token',
  'authorization',
  'hashed_password',
  'secret',
].flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

/** The process's log: JSON lines on standard output, secrets removed. A healthy service logs no error. */
export function createLog(name: string, level: string, destination?: DestinationStream): Logger {
  const options = { name, level: level.toLowerCase(), redact: { paths: secretPaths, censor: '[removed]' } };
  return destination ? pino(options, destination) : pino(options);
}

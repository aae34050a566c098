import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRunning, type ProcessIdentity, startTimeOf } from '../engines/pids.ts';
import {
  type DataDirectory,
  type ProgramName,
  possibleServices,
  type ServiceName,
} from './data-directory.ts';

interface ListedProcess {
  pid: number;
  /** The arguments, or the whole command line as one entry if the system does not separate them. */
  arguments: string[];
}

/** Argument that identifies a program of a data directory. The program itself ignores it. */
export function serviceMark(directory: DataDirectory, name: ProgramName): string {
  return `--${name}-of=${directory.root}`;
}

/** Sequences of arguments that only this process of this data directory has. */
function marksOf(directory: DataDirectory, name: ServiceName): string[][] {
  switch (name) {
    case 'temporal':
      return [['--db-filename', directory.temporalFile]];
    case 'mongodb':
      return [
        ['--file', join(directory.mongoDirectory, 'store.mv')],
        ['--dbpath', directory.mongoDirectory],
      ];
    case 'api':
    case 'worker':
    case 'instrument':
    case 'updater':
      return [[serviceMark(directory, name)]];
  }
}

/**
 * Processes that run as `name` on this data directory, recorded or not. An `npm start` that is killed right
 * after starting a process cannot record it.
 */
export function processesOf(directory: DataDirectory, name: ServiceName): ProcessIdentity[] {
  const marks = marksOf(directory, name);
  return listProcesses()
    .filter((process) => marks.some((words) => hasWords(process.arguments, words)))
    .map(({ pid }) => ({ pid, startTime: startTimeOf(pid) }));
}

/** All processes of these services that run on the data directory, recorded or not. */
export function runningProcesses(
  directory: DataDirectory,
  names: readonly ServiceName[] = possibleServices,
): ProcessIdentity[] {
  return names.flatMap((name) => processesOf(directory, name)).filter(isRunning);
}

/** Command lines of the programs that run scripts of package.json: npm, pnpm, yarn, bun. */
const RUNNER = /(?:^|[\s/])(?:npm|npm-cli|pnpm|yarn|bun)(?:\.[cm]?js)?(?:\s|$)/;

/** Whether a command line is that of a program that runs scripts of package.json. */
export function runsScripts(command: string): boolean {
  return RUNNER.test(command);
}

/** The npm, or another program like it, that runs this process, if any. If it dies, this process loses its terminal. */
export function parentNpm(): ProcessIdentity | null {
  if (process.env.npm_lifecycle_event !== 'start') return null;
  let pid = process.ppid;
  for (let generation = 0; generation < 3 && pid > 1; generation += 1) {
    const found = ancestor(pid);
    if (!found) return null;
    if (runsScripts(found.command)) return { pid, startTime: startTimeOf(pid) };
    pid = found.parent;
  }
  return null;
}

function hasWords(given: readonly string[], words: readonly string[]): boolean {
  if (given.length === 1) return ` ${given[0]} `.includes(` ${words.join(' ')} `);
  return given.some((_, at) => words.every((word, index) => given[at + index] === word));
}

function listProcesses(): ListedProcess[] {
  if (process.platform === 'linux') {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
      .map((name) => ({ pid: Number(name), arguments: commandLine(Number(name)) }));
  }
  try {
    return execFileSync('ps', ['-axww', '-o', 'pid=,command='], { encoding: 'utf8' })
      .split('\n')
      .flatMap((line) => {
        const match = /^\s*(\d+)\s+(.*)$/.exec(line);
        return match ? [{ pid: Number(match[1]), arguments: [match[2] ?? ''] }] : [];
      });
  } catch {
    return [];
  }
}

function commandLine(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replace(/\0$/, '').split('\0');
  } catch {
    return []; // it ended meanwhile
  }
}

function ancestor(pid: number): { parent: number; command: string } | null {
  try {
    if (process.platform === 'linux') {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      return { parent, command: commandLine(pid).join(' ') };
    }
    const text = execFileSync('ps', ['-o', 'ppid=,command=', '-p', String(pid)], { encoding: 'utf8' });
    const match = /^\s*(\d+)\s+(.*)$/m.exec(text);
    return match ? { parent: Number(match[1]), command: match[2] ?? '' } : null;
  } catch {
    return null;
  }
}

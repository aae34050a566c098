import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CalibronError } from '../../kernel/errors.ts';
import { writeInside } from '../../kernel/files/atomic-write.ts';
import { filesBelow } from '../../kernel/files/directory-walk.ts';
import { locate, openInside, type PathProblem } from '../../kernel/files/paths.ts';
import { assertRoomWithin } from '../../kernel/quotas.ts';
import { isoTime } from '../../kernel/time.ts';
import type { Asker, ParsingPool, TextKind } from '../parsing/index.ts';
import { ConfigurationError } from './errors.ts';
import { type FileContent, MAX_FILE_BYTES, type TreeEntry, type ValidateAnswer } from './model.ts';
import { checkConfigurationPath, checkWrittenPath, textKindOf, textKindOfFile } from './rules.ts';
import type { ConfigurationSettings } from './settings.ts';
import { treeOf } from './tree.ts';

/** A file that the service itself reads, so that its content must be valid beyond its syntax. */
export interface KnownFile {
  name: string;
  /** Problems of a content, as messages; empty if it is valid. */
  check(text: string): string[];
}

const pathMessages: Record<PathProblem, string> = {
  outside: 'This path leads out of the configuration.',
  missing: 'There is no such file.',
  not_a_file: 'This is not the path of a file.',
};

/** Maximum size of the configuration for writes by clients. */
export type ConfigurationLimits = Pick<ConfigurationSettings, 'CONFIGURATION_FILES' | 'CONFIGURATION_MIB'>;

const MIB = 1024 * 1024;

/** The asker of checks that the service makes on its own. */
const THE_SERVICE: Asker = { kind: 'user', id: '' };

/** Read and write access of clients to the configuration directory. */
export function createConfigurationFiles(
  directory: string,
  parsing: ParsingPool,
  known: readonly KnownFile[],
  limits: ConfigurationLimits,
) {
  async function syntaxProblem(text: string, textKind: TextKind, asker: Asker): Promise<string | null> {
    const answer = await parsing.run({ kind: 'syntax', text, textKind }, asker);
    return 'problem' in answer ? answer.problem : null;
  }

  /** Problems of a file's content: its syntax, or the service's own check. */
  async function problemsOf(path: string, kind: TextKind, text: string, asker: Asker): Promise<string[]> {
    const problem = await syntaxProblem(text, kind, asker);
    if (problem !== null) return [`${path}: ${problem}.`];
    return known.find(({ name }) => name === path)?.check(text) ?? [];
  }

  /** @throws quota_exceeded when another file, or more bytes in this one, would exceed the limits */
  async function assertRoomFor(path: string, bytes: number): Promise<void> {
    const found = await filesBelow(directory);
    const before = found.find(({ relativePath }) => relativePath === path);
    const holder = 'The configuration';
    const { CONFIGURATION_FILES: files, CONFIGURATION_MIB: mib } = limits;
    if (!before) {
      assertRoomWithin(
        { holder, things: 'files', limit: files, setting: 'CONFIGURATION_FILES' },
        found.length,
      );
    }
    if (bytes <= (before?.size ?? 0)) return;
    const total = found.reduce((sum, { size }) => sum + size, 0);
    assertRoomWithin(
      { holder, things: 'MiB', limit: mib, setting: 'CONFIGURATION_MIB' },
      Math.floor(total / MIB),
    );
  }

  async function read(path: string): Promise<FileContent> {
    checkConfigurationPath(path);
    const file = await openInside(directory, path);
    if (typeof file === 'string') throw pathError(file);
    try {
      if (file.size > MAX_FILE_BYTES) throw tooLarge();
      const bytes = await file.handle.readFile();
      return {
        content: textOf(bytes),
        path,
        name: file.name,
        size: bytes.length,
        modified: isoTime(file.modified),
      };
    } finally {
      await file.handle.close();
    }
  }

  return {
    /** All visible files and directories whose path is shown. */
    tree: (isShown: (path: string) => boolean): Promise<TreeEntry[]> => treeOf(directory, isShown),

    /**
     * A text file of at most 1 MiB.
     * @throws bad_request, not_found, too_large, unreadable_file
     */
    read,

    /**
     * Validates a YAML or JSON file and writes it atomically.
     * @throws bad_request, too_large, invalid_configuration, quota_exceeded, too_many_requests
     */
    async write(path: string, content: string, asker: Asker): Promise<void> {
      checkWrittenPath(path);
      const kind = textKindOfFile(path);
      if (!kind)
        throw new CalibronError('bad_request', 'Only files that end in .yaml, .yml or .json are written.');
      if (Buffer.byteLength(content) > MAX_FILE_BYTES) throw tooLarge();
      await assertRoomFor(path, Buffer.byteLength(content));
      const problems = await problemsOf(path, kind, content, asker);
      if (problems.length > 0) throw invalid('The file was not written', problems);
      const problem = await writeInside(directory, path, content);
      if (problem) throw pathError(problem);
    },

    /**
     * Removes a file, or a directory with its content; for a link, only the link.
     * @throws bad_request, not_found
     */
    async remove(path: string): Promise<void> {
      checkConfigurationPath(path);
      const found = await locate(directory, path);
      if (typeof found === 'string') throw pathError(found);
      await rm(join(found.root, found.written), { recursive: true });
    },

    /**
     * Validates YAML or JSON.
     * @throws bad_request for another kind, too_large, too_many_requests
     */
    async validate(content: string, fileType: string, asker: Asker): Promise<ValidateAnswer> {
      const kind = textKindOf(fileType);
      if (!kind) throw new CalibronError('bad_request', 'file_type is yaml, yml or json.');
      if (Buffer.byteLength(content) > MAX_FILE_BYTES) throw tooLarge();
      const problem = await syntaxProblem(content, kind, asker);
      const name = kind.toUpperCase();
      if (problem === null) return { valid: true, message: `This is valid ${name}.` };
      return { valid: false, message: `This is not valid ${name}.`, error: problem };
    },

    /**
     * Checks all YAML and JSON files.
     * @throws invalid_configuration naming the problems
     */
    async checkAll(): Promise<void> {
      const problems: string[] = [];
      for (const { relativePath } of await filesBelow(directory)) {
        const kind = textKindOfFile(relativePath);
        if (kind) problems.push(...(await problemsOfStored(relativePath, kind)));
      }
      if (problems.length > 0) throw invalid('Nothing was reloaded', problems);
    },

    /** A file or directory of the configuration, for an archive; `inside` is empty for all of it. @throws bad_request, not_found */
    async locate(path: string): Promise<{ path: string; name: string; inside: string }> {
      const resolved = await locate(directory, path);
      if (typeof resolved === 'string') throw pathError(resolved);
      if (resolved.inside !== '') checkConfigurationPath(resolved.inside);
      const { path: real, inside } = resolved;
      return { path: real, name: inside.split('/').at(-1) || 'config', inside };
    },
  };

  async function problemsOfStored(path: string, kind: TextKind): Promise<string[]> {
    try {
      return await problemsOf(path, kind, (await read(path)).content, THE_SERVICE);
    } catch (thrown) {
      if (thrown instanceof CalibronError) return [`${path}: ${thrown.message}`];
      throw thrown;
    }
  }
}

/** Maximum number of problems named in an answer; the others are counted. */
const MAX_PROBLEMS_NAMED = 5;

function invalid(what: string, problems: readonly string[]): CalibronError {
  const more = problems.length - MAX_PROBLEMS_NAMED;
  const named = problems.slice(0, MAX_PROBLEMS_NAMED).join(' ');
  return new ConfigurationError(
    'invalid_configuration',
    `${what}. ${named}${more > 0 ? ` And ${more} more.` : ''}`,
  );
}

function pathError(problem: PathProblem): CalibronError {
  return new CalibronError(problem === 'missing' ? 'not_found' : 'bad_request', pathMessages[problem]);
}

function tooLarge(): CalibronError {
  return new CalibronError('too_large', 'A configuration file has at most 1 MiB.');
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new CalibronError('unreadable_file', 'This file is not UTF-8 text.');
  }
}

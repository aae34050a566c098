import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { ExecutionStore } from '../../shared/domain/executions/index.ts';
import type { CollectionIndexes, Db } from '../../shared/kernel/database.ts';
import { replaceFile } from '../../shared/kernel/files/atomic-write.ts';
import { indexChanges } from '../../shared/kernel/index-builds.ts';
import { packageRoot } from '../../shared/kernel/package-root.ts';
import { DOES_NOT_MATCH, WOULD_WAIT } from '../../workers/promotion-codes.ts';
import { digestOfSources } from '../compiled.mjs';
import type { Report } from '../engines/types.ts';
import { programs } from '../programs.ts';

/** The open runs would stand still with this release; the message is for the operator. */
class RunsWouldStandStill extends Error {
  override readonly name = 'RunsWouldStandStill';
}

export interface ReleaseCheck {
  /** Contains the digest of the release that served the data last. */
  file: string;
  db: Db;
  executions: Pick<ExecutionStore, 'open'>;
  collections: readonly CollectionIndexes[];
  /** Settings of the programs of this release, with the addresses of the engines. */
  environment(): NodeJS.ProcessEnv;
  temporalReady: Promise<void>;
  report: Report;
  signal: AbortSignal;
  /** Whether to go on although open runs do not match the workflow code of this release. */
  despiteOpenRuns: boolean;
  /** Whether workers have versions: then a run stays with the release that began it until an operator promotes another. */
  hasVersions: boolean;
}

/** Limit of the output of the check, in bytes. */
const MAX_OUTPUT = 16 * 1024 * 1024;

const release = () => digestOfSources(fileURLToPath(packageRoot));

/**
 * Reports what a release other than the last one does to used data, before it changes the store or takes a run over.
 * @throws RunsWouldStandStill if its workflow code does not match open runs
 */
export async function checkRelease(check: ReleaseCheck): Promise<void> {
  const { file, db, executions, collections, temporalReady, report } = check;
  const served = await readFile(file, 'utf8').catch(() => null);
  if (served === release()) return;
  if ((await executions.open(1)).length === 0) {
    if (served !== null) for (const message of await indexChanges(db, collections)) report(message);
    return;
  }
  await temporalReady;
  report('open runs are checked against this release');
  const { code, lines } = await checkOpenRuns(check);
  for (const line of lines) report(`  ${line}`);
  if (code === DOES_NOT_MATCH && !check.despiteOpenRuns && !check.hasVersions) {
    throw new RunsWouldStandStill(
      'open runs do not match this release, and nothing was changed yet. Start the release of before and let them end, or ' +
        'cancel them. With npm start -- --despite-open-runs it starts anyway, and these runs stand still.',
    );
  }
  if (!check.signal.aborted && code !== 0 && code !== WOULD_WAIT && code !== DOES_NOT_MATCH)
    report('open runs could not be checked; what keeps a run from going on is shown in its execution');
}

/** Notes that this release serves the data from now on. */
export async function noteRelease(file: string): Promise<void> {
  await replaceFile(file, release());
}

/** Runs the check of `npm run promote` in a process of its own, which ends with all that a replay has loaded. */
function checkOpenRuns({
  environment,
  signal,
}: ReleaseCheck): Promise<{ code: number | null; lines: string[] }> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [programs.promote, '--check'],
      { env: { ...environment(), LOG_LEVEL: 'SILENT' }, signal, maxBuffer: MAX_OUTPUT },
      (_thrown, stdout, stderr) => {
        const lines = `${stdout}${stderr}`.split('\n').filter((line) => line !== '');
        resolve({ code: child.exitCode, lines });
      },
    );
  });
}

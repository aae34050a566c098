import semver from 'semver';
import type { Installation, NewerVersion, UpdatePlan, UpdateStage, UpdateState } from './model.ts';

/** The branch that is updated. */
export const MAIN = 'main';

/** Migration mode of the versions that the updater installs. */
const MIGRATION_MODE = 'compose';

const STABLE = /^v(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)$/;

/** Whether a tag is that of a stable version. */
export function isStableVersion(tag: string): boolean {
  return STABLE.test(tag) && semver.valid(tag) !== null;
}

/** Sorts stable versions, oldest first. */
export function byVersion(one: { version: string }, other: { version: string }): number {
  return semver.compare(one.version, other.version);
}

/** Name under which the installed version is displayed. */
export function currentVersion({ version, commit }: Pick<Installation, 'version' | 'commit'>): string {
  return version ?? commit.slice(0, 12);
}

/** The choice of an update: a plan, or the reason why there is none. */
export type UpdateChoice =
  | { plan: UpdatePlan; latest: string; reason: null }
  | { plan: null; latest: string | null; reason: string };

/**
 * Selects the version that an update would install: its manifest must allow it. A version whose manifest forbids it
 * requires manual work, so neither it nor any later version is installed. Versions without a manifest are skipped.
 */
export function chooseUpdate(installation: Installation): UpdateChoice {
  const { branch, commit, version, dirty, remote_problem } = installation;
  const newer = version === null ? [] : installation.newer.filter((each) => semver.gt(each.version, version));
  const latest = newer.at(-1)?.version ?? null;
  const blocked = (reason: string): UpdateChoice => ({ plan: null, latest, reason });
  if (branch !== MAIN) return blocked(`The working tree is not on the branch ${MAIN}.`);
  if (dirty) return blocked('Files of the working tree were changed by hand. Put them back first.');
  if (version === null)
    return blocked('What is installed is no stable version: its commit has no version tag.');
  if (remote_problem !== null) return blocked(remote_problem);
  if (latest === null) return blocked('The newest stable version is installed.');
  const barrier = newer.findIndex(isForbidden);
  const reachable = barrier === -1 ? newer : newer.slice(0, barrier);
  const target = reachable.findLast(({ manifest }) => manifest !== null);
  if (target) {
    const { version: target_version, commit: target_commit } = target;
    const plan = { source_version: version, source_commit: commit, target_version, target_commit };
    return { plan, latest: target_version, reason: null };
  }
  return blocked(
    whyForbidden(newer[barrier]) ?? `${latest} is not signed off: it has no update-manifest.json.`,
  );
}

function isForbidden({ manifest }: NewerVersion): boolean {
  return manifest !== null && !(manifest.automatic_update && manifest.migration_mode === MIGRATION_MODE);
}

function whyForbidden(barrier: NewerVersion | undefined): string | null {
  if (!barrier?.manifest) return null;
  return barrier.manifest.notes?.trim() || `${barrier.version} cannot be installed automatically.`;
}

const progress: Readonly<Record<UpdateStage, number>> = {
  queued: 0,
  preflight: 10,
  stopping: 25,
  'fast-forward': 40,
  deploying: 60,
  'health-check': 90,
  rollback: 95,
  complete: 100,
  'rolled-back': 100,
  failed: 100,
  'rollback-failed': 100,
  interrupted: 100,
};

/** Progress of an update, in percent. */
export function progressAt(stage: UpdateStage): number {
  return progress[stage];
}

/** Whether an update is still in progress. */
export function isActive(state: UpdateState): boolean {
  return state === 'queued' || state === 'running' || state === 'rolling_back';
}

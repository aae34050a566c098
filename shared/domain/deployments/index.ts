import { defineArea, type Kernel } from '../../kernel/area.ts';
import {
  deploymentVersions,
  type DeploymentVersion as KnownVersion,
  type OpenRunWorkflow,
  openRunWorkflows,
} from '../../kernel/engine/deployment.ts';
import { workerPollers } from '../../kernel/engine/pollers.ts';
import { CALIBRATION_QUEUE } from '../../kernel/engine/workflow-ids.ts';
import { isoTime, isoTimeOrNull } from '../../kernel/time.ts';
import type {
  DeployedRun,
  DeployedRunList,
  DeployedRunPage,
  DeploymentPage,
  DeploymentVersion,
  DeploymentVersionList,
} from './model.ts';
import { type RunVersions, rollbackEffect, versionsOf } from './rules.ts';

/** Maximum number of open workflows that are looked at; a project has two. */
const WORKFLOWS = 20_000;

interface OpenRun extends RunVersions {
  workflow: OpenRunWorkflow;
}

export type Deployments = ReturnType<typeof deployments.create>;

/** The versions of the workers of runs, as the engine knows them. */
export const deployments = defineArea({
  name: 'deployments',
  indexes: [],
  create({ engine }: Kernel) {
    async function look() {
      const [{ pollers, deployment }, workflows] = await Promise.all([
        workerPollers(engine, CALIBRATION_QUEUE),
        openRunWorkflows(engine, WORKFLOWS),
      ]);
      const known = deployment === null ? null : await deploymentVersions(engine, deployment);
      return { pollers, deployment, known, runs: runsOf(workflows) };
    }

    return {
      /** The current version, then the newest first, then workers without a version. */
      async versions({ skip, limit }: DeploymentPage): Promise<DeploymentVersionList> {
        const { pollers, deployment, known, runs } = await look();
        const versions = new Map<string | null, KnownVersion | null>();
        for (const version of known?.versions ?? []) versions.set(version.buildId, version);
        for (const { buildId } of pollers) if (!versions.has(buildId)) versions.set(buildId, null);
        const items = [...versions].map(
          ([buildId, version]): DeploymentVersion => ({
            build_id: buildId,
            state: version?.state ?? (buildId === null ? 'without_version' : 'unknown'),
            created_at: isoTimeOrNull(version?.createdAt),
            current_since: isoTimeOrNull(version?.currentSince),
            workers: pollers
              .filter((poller) => poller.buildId === buildId)
              .map(({ identity, seenAt }) => ({ identity, seen_at: isoTimeOrNull(seenAt) })),
            open_runs: runs.filter((run) => versionsOf(run).includes(buildId)).length,
          }),
        );
        items.sort(byUse);
        const current = known?.current ?? null;
        return {
          deployment,
          current,
          items: items.slice(skip, skip + limit),
          total: items.length,
          skip,
          limit,
        };
      },

      /** The open runs with their versions, the oldest first; with `rollback_to` those that it stops or might stop. */
      async runs({ rollback_to, skip, limit }: DeployedRunPage): Promise<DeployedRunList> {
        const { pollers, runs } = await look();
        const served = new Set(pollers.map(({ buildId }) => buildId));
        const items = runs
          .map((run) => ({
            ...wireOf(run),
            rollback: rollback_to === undefined ? null : rollbackEffect(run, rollback_to, served),
          }))
          .filter(({ rollback }) => rollback_to === undefined || rollback !== null)
          .sort((a, b) => compare(a.started_at, b.started_at) || compare(a.execution_id, b.execution_id));
        return { items: items.slice(skip, skip + limit), total: items.length, skip, limit };
      },
    };
  },
});

/** The runs with the versions of their open stages. */
function runsOf(workflows: readonly OpenRunWorkflow[]): OpenRun[] {
  const stages = new Map<string, (string | null)[]>();
  for (const workflow of workflows) {
    if (!workflow.isStage) continue;
    const key = runKeyOf(workflow);
    stages.set(key, [...(stages.get(key) ?? []), workflow.buildId]);
  }
  return workflows
    .filter(({ isStage }) => !isStage)
    .map((workflow) => ({
      workflow,
      buildId: workflow.buildId,
      isPinned: workflow.isPinned,
      stages: stages.get(runKeyOf(workflow)) ?? [],
    }));
}

function runKeyOf({ projectId, executionId }: OpenRunWorkflow): string {
  return `${projectId}/${executionId}`;
}

function wireOf({ workflow, stages }: OpenRun): Omit<DeployedRun, 'rollback'> {
  return {
    project_id: workflow.projectId,
    execution_id: workflow.executionId,
    chip_id: workflow.chipId,
    started_at: isoTime(workflow.startedAt),
    build_id: workflow.buildId,
    is_pinned: workflow.isPinned,
    stages,
  };
}

/** The current version first, then the newest, then workers without a version. */
function byUse(a: DeploymentVersion, b: DeploymentVersion): number {
  const isCurrent = Number(b.state === 'current') - Number(a.state === 'current');
  return (
    isCurrent ||
    compare(b.created_at ?? '', a.created_at ?? '') ||
    compare(a.build_id ?? '~', b.build_id ?? '~')
  );
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

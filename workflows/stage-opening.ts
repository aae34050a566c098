import type { OpenStageOutput } from '../activities/contracts/steps.ts';
import type { StageInput } from '../shared/domain/runs/run-model.ts';
import { locallyOrNot, recordKeeping } from './policies.ts';

/** A step of a stage with all its lanes. */
export async function openStep(
  { run, policy, index, name }: StageInput,
  step: number,
): Promise<OpenStageOutput> {
  const activities = recordKeeping(policy, `stage ${index} ${name}`);

  /** The lanes of the step from a lane on, as many as one answer holds. */
  async function openFrom(lane: number): Promise<OpenStageOutput> {
    const part = { run, stage: index, step, lane };
    return locallyOrNot(
      (local) => local.openStage(part),
      () => activities.openStage(part),
    );
  }

  const first = await openFrom(0);
  const lanes = [...first.lanes];
  for (let lane = first.next; lane !== null; ) {
    const more = await openFrom(lane);
    lanes.push(...more.lanes);
    lane = more.next;
  }
  return { ...first, lanes };
}

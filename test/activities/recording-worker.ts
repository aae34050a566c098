import { MockActivityEnvironment } from '@temporalio/testing';
import type { MeasureRequest } from '../../activities/backends/backend.ts';
import type { Answer, Instrument } from '../../activities/backends/instrument.ts';
import type { CalibrationActivities } from '../../activities/contracts/runs.ts';
import type { MeasureAndRecordInput, MeasureAndRecordOutput, RecordInput } from '../../activities/contracts/steps.ts';
import {
  createMeasureAndRecord,
  type MeasureAndRecordDependencies,
} from '../../activities/measure-and-record.ts';
import { createTrailingWrites } from '../../activities/record/trailing-writes.ts';
import { newId } from '../../shared/kernel/ids.ts';
import { createLog } from '../../shared/kernel/log.ts';
import type { Laboratory } from '../support/laboratory.ts';
import { heldRun, recordActivities } from '../support/record-keeping.ts';

/** A run that holds its project and has not come to the target `1` yet, which is measured here. */
export async function measuredHere(
  lab: Laboratory,
  given: { tasks?: readonly string[]; qids?: readonly string[] } = {},
) {
  const { place, run } = await heldRun(lab, { tasks: ['CheckT1', 'CheckT1'], ...given });
  const input: MeasureAndRecordInput = {
    run,
    stage: 0,
    targets: ['1'],
    index: 0,
    task_id: newId(),
    attempt: 1,
    again: false,
  };
  return { place, run, input };
}

/** The record activity as a worker of ours has it. */
export function recordKeeper(lab: Laboratory): CalibrationActivities['record'] {
  return recordActivities(lab).record;
}

/** An instrument that counts how often it was asked, in a worker whose record keeping does as it is told. */
export function workerOf(
  lab: Laboratory,
  between: (record: CalibrationActivities['record'], step: RecordInput) => ReturnType<typeof record>,
  answer: (request: MeasureRequest) => Answer = found,
  areas: MeasureAndRecordDependencies['areas'] = lab.areas,
) {
  const asked: MeasureRequest[] = [];
  const log = createLog('test', 'SILENT');
  const trailing = createTrailingWrites({ log });
  const { record } = recordActivities(lab, { trailing });
  const instrument: Instrument = async (request, { keep }) => {
    asked.push(request);
    const said = answer(request);
    await keep?.(said);
    return said;
  };
  const { measureAndRecord } = createMeasureAndRecord({
    instrument,
    record: (step) => between(record, step),
    keptAnswers: lab.runs.keptAnswers,
    areas,
    log,
  });
  const environment = new MockActivityEnvironment(undefined, { client: lab.engine.client });
  return {
    asked,
    /** Until nothing trails behind what was recorded. */
    settle: trailing.settle,
    carryOut: (input: MeasureAndRecordInput): Promise<MeasureAndRecordOutput> =>
      environment.run(measureAndRecord, input),
  };
}

export function found({ targets }: MeasureRequest): Answer {
  const each = { outputs: { t1: { value: 42, error: 1 } }, quality: { r2: 0.99 } };
  return { result: { targets: Object.fromEntries(targets.map((qid) => [qid, each])) }, failure: null };
}

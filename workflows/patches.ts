import { patched } from '@temporalio/workflow';

interface Patch {
  /** As histories hold it: never changed, and never given to another change. */
  id: string;
  /** The first release that has it. */
  since: string;
  /** What the commands were before, and why they changed. */
  reason: string;
}

/**
 * Every change of what a workflow asks of the engine, and in which order, since the first release: activities, timers,
 * children, their ids. An open run that was begun before a change still has to replay what it did then. Each workflow
 * asks `has` where old and new part, and the old way stays beside the new one.
 *
 * A patch may be removed, with the old way and the histories under test/histories/ that lack its marker, once runs that
 * a release before `since` began are no longer supported; one release earlier `has` calls `deprecatePatch` for it.
 */
const patches = {
  activityIds: {
    id: 'activity-ids-name-task-target-attempt',
    since: '0.2.0',
    reason:
      'Activities had numbers as ids, so that a pending one, which the engine lists by its id, did not tell what is measured.',
  },
  periodicWatch: {
    id: 'backend-watch-is-periodic',
    since: '0.2.0',
    reason:
      'Each record cancelled the timer that watches the backend and started the next one: two events of fourteen a task.',
  },
  scheduledStartNamesRun: {
    id: 'scheduled-start-names-its-run',
    since: '0.2.0',
    reason: 'What carried out a schedule was not found by the chip and the execution that it started.',
  },
  singleTaskStage: {
    id: 'single-task-runs-a-stage',
    since: '0.2.0',
    reason:
      'A single task was measured by its run, so that nothing ended its measurement in order when that was terminated.',
  },
  repeatsByCause: {
    id: 'measurement-repeats-by-cause',
    since: '0.2.0',
    reason:
      'A measurement was made twice at most, whatever cut it short, so that two workers that were stopped in turn failed it.',
  },
  boundedAnswers: {
    id: 'answers-wait-for-room',
    since: '0.2.0',
    reason:
      'All answers that came together went to the records in one workflow task, which carries at most 4 MB and failed for ever.',
  },
  approvalSignalLooksFirst: {
    id: 'approval-signal-looks-into-the-store',
    since: '0.2.0',
    reason:
      'A signal `approval` ended the question whatever the store had, so that one sent by hand closed it with its default.',
  },
  recordBatches: {
    id: 'records-go-together',
    since: '0.2.0',
    reason:
      'Each measurement was recorded by an activity of its own, also where many finish at the same time: half of what a task costs the engine.',
  },
  recordsAtOnce: {
    id: 'records-are-made-at-once',
    since: '0.2.0',
    reason:
      'Each step of record keeping was an activity, with a workflow task after it: half of what a task of a foreign backend costs the engine.',
  },
  manyRecordsAtOnce: {
    id: 'records-of-many-are-made-at-once',
    since: '0.2.0',
    reason:
      'Records of more than four lanes were activities, some of which served several targets: a third of what a task of a foreign backend costs the engine.',
  },
  opensAtOnce: {
    id: 'stages-open-at-once',
    since: '0.2.0',
    reason:
      "What a stage reads of its plan before it begins was an activity: two of the engine's answers before the first measurement.",
  },
  beginsAtOnce: {
    id: 'runs-begin-at-once',
    since: '0.2.0',
    reason:
      "What takes the project for a run was an activity, with a workflow task after it: two of the engine's answers before the first measurement.",
  },
  flowsAdvanceAtOnce: {
    id: 'flows-advance-at-once',
    since: '0.2.0',
    reason:
      "What asks a flow for its next command was an activity, also where the flow answers in milliseconds: two of the engine's answers before each stage.",
  },
  sharedPasses: {
    id: 'shared-measurements-have-passes',
    since: '0.2.0',
    reason:
      'What a multiplexer or all qubits share was measured once, also where its fit asked for another range.',
  },
} satisfies Record<string, Patch>;

export type PatchName = keyof typeof patches;

/** Whether this run has a change: every run that begins now, and one begun before it only from its first live step on. */
export function has(name: PatchName): boolean {
  return patched(patches[name].id);
}

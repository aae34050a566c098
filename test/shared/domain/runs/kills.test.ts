import { appendFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect } from 'vitest';
import type { ExecutionId } from '../../../../shared/kernel/ids.ts';
import { workflowBundle } from '../../../../workers/bundle.ts';
import { expectNobodyHolds, expectNothingLostOrDoubled } from '../../../support/failure-checks.ts';
import { type NamedHistory, replay } from '../../../support/histories.ts';
import type { LabChip } from '../../../support/laboratory.ts';
import { testWithOwnStore } from '../../../support/own-store-tests.ts';
import { pythonVersion } from '../../../support/python.ts';
import { repetitions } from '../../../support/repetitions.ts';
import { administrator, type KillTargets, openKillTargets, PYTHON_BACKEND } from './kill-targets.ts';
import { overlappingMeasurements, repeatedMeasurements } from './overlaps.ts';
import { patientClient } from './patient-client.ts';
import { randomKills } from './random-kills.ts';

/**
 * Kills in all and between two looks at what they left, milliseconds of peace at most for what came back, seconds by which a
 * lost worker is noticed, seconds that a measurement takes at most, and the tasks of a run.
 */
const { KILLS, ROUND, PEACE, HEARTBEAT_TIMEOUT, LONGEST, TASKS } = repetitions({
  quick: {
    KILLS: 16,
    ROUND: 16,
    PEACE: 20_000,
    HEARTBEAT_TIMEOUT: 5,
    LONGEST: 4,
    TASKS: ['CheckT1', 'CheckT1'],
  },
  soak: {
    KILLS: 1000,
    ROUND: 50,
    PEACE: 60_000,
    HEARTBEAT_TIMEOUT: 10,
    LONGEST: 30,
    TASKS: Array(3).fill('CheckT1'),
  },
});
const QUBITS = ['0', '1'];
/** After so many minutes a soak kills no more, and tells how far it came. */
const LIMIT = process.env.CALIBRON_SOAK_MINUTES;
const MINUTES = Number(LIMIT ?? 120);
const SEED = Number(process.env.CALIBRON_SOAK_SEED ?? 20261121);
/**
 * Gets a line of JSON for each kill and each look, so that a soak that is cut off keeps what it counted; beside it are
 * the logs of one that found something.
 */
const LOG = process.env.CALIBRON_SOAK_LOG;
const python = await pythonVersion();
const backends = python === null ? ['simulator'] : ['simulator', PYTHON_BACKEND];
/** Projects whose runs go on at the same time, each one run after another. */
const PROJECTS = 6;
/** So many are away together at most. */
const DOWN = 5;
/** Milliseconds after the last kill in which every run has to end. */
const PATIENCE = 600_000;

let killed: KillTargets;
let client: Awaited<ReturnType<typeof patientClient>>;

beforeAll(async () => {
  killed = await openKillTargets({
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    longestMeasurement: LONGEST,
    python,
  });
  client = await patientClient(killed.base, killed.lab, administrator);
});
afterAll(async () => {
  if (LOG && Object.values(faults).some(({ length }) => length > 0)) await killed.keep(`${LOG}.logs`);
  await killed.close();
});

async function log(line: Readonly<Record<string, unknown>>): Promise<void> {
  if (LOG) await appendFile(LOG, `${JSON.stringify({ at: new Date(), seed: SEED, ...line })}\n`);
}

/** Runs what throws where a promise is broken. @returns the message, null when it is kept */
async function broken(check: () => Promise<unknown>): Promise<string | null> {
  try {
    await check();
    return null;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

interface Run {
  place: LabChip;
  executionId: ExecutionId;
}

/** What went well, and how long after the last kill of each round its runs had ended. */
const tally = {
  runs: 0,
  measuredAgain: 0,
  tasks: {} as Record<string, number>,
  secondsToEnd: [] as number[],
};
/** Promises that were broken, each with its messages. */
const faults = {
  failed: [] as string[],
  stuck: [] as string[],
  lostOrDoubled: [] as string[],
  overlapping: [] as string[],
  finishedAndRepeated: [] as string[],
  notReplayed: [] as string[],
  endedAlone: [] as string[],
  answered500: [] as string[],
};
const count = (counts: Record<string, number>, name: string) => {
  counts[name] = (counts[name] ?? 0) + 1;
};

/** Whether each row of a run tells the same story as the instrument's journal. */
async function look({ place, executionId }: Run): Promise<void> {
  const problem = await broken(async () => {
    const rows = await expectNothingLostOrDoubled(killed.lab, place, executionId);
    expect(rows).toHaveLength(TASKS.length * QUBITS.length);
    for (const { status, attempt, message } of rows) {
      count(tally.tasks, status);
      if (attempt > 1) tally.measuredAgain += 1;
      // A measurement that was cut off three times is the only one that may be lost, and what follows it.
      if (status === 'failed') expect(message).toMatch(/no sign of life 3 times/);
    }
  });
  if (problem) faults.lostOrDoubled.push(`${place.projectId} ${executionId}: ${problem}`);
}

/** Replays the history of every workflow of these projects. @returns what is wrong */
async function replayAll(places: readonly LabChip[]): Promise<string[]> {
  const { workflow } = killed.lab.engine.client;
  const histories: NamedHistory[] = [];
  for (const { projectId } of places) {
    for await (const { workflowId, runId } of workflow.list({ query: `ProjectId = "${projectId}"` })) {
      histories.push({
        workflowId: `${workflowId} ${runId}`,
        history: await workflow.getHandle(workflowId, runId).fetchHistory(),
      });
    }
  }
  expect(histories.length).toBeGreaterThan(0);
  return replay({ codePath: await workflowBundle(killed.lab.cache) }, histories);
}

/** Has clients start run after run while `kill` kills, and looks at what is left. */
async function round(kill: () => Promise<void>): Promise<void> {
  const { lab } = killed;
  const places = await Promise.all(Array.from({ length: PROJECTS }, () => client.newProject(TASKS, QUBITS)));
  const runs: Run[] = [];
  let killing = true;
  const clients = Promise.all(
    places.map(async (place, index) => {
      const backend = backends[index % backends.length] ?? 'simulator';
      for (let number = 1; killing; number += 1)
        await client.run(place, { key: `run ${number}`, backend }, (executionId) =>
          runs.push({ place, executionId }),
        );
    }),
  ).then(
    () => null,
    (thrown: unknown) => String(thrown),
  );
  await kill();
  killing = false;
  const over = Date.now();
  const outcome = await Promise.race([clients, wait(PATIENCE, 'clients still wait', { ref: false })]);
  if (outcome) faults.failed.push(outcome);
  tally.secondsToEnd.push(Math.round((Date.now() - over) / 1000));

  for (const place of places) {
    const problem = await broken(() => expectNobodyHolds(lab, place));
    if (problem) faults.stuck.push(`${place.projectId}: ${problem}`);
  }
  for (const run of runs) await look(run);
  for (const { projectId } of places) {
    const journal = await lab.journals(projectId);
    faults.overlapping.push(...overlappingMeasurements(journal, lab.killed));
    faults.finishedAndRepeated.push(...repeatedMeasurements(journal, lab.killed));
  }
  const wanted = { project_id: { $in: places.map(({ projectId }) => projectId) } };
  const executions = await lab.database.db.collection('executions').countDocuments(wanted);
  if (executions !== runs.length)
    faults.lostOrDoubled.push(`${executions} executions, ${runs.length} runs were requested`);
  faults.notReplayed.push(...(await replayAll(places)));
  faults.endedAlone.push(...killed.endedAlone.splice(0));
  faults.answered500.push(...(await killed.errors()));
  tally.runs += runs.length;
}

testWithOwnStore(
  `${KILLS} random kills of API, workers, engine, store and connections lose nothing, double nothing and leave nothing stuck`,
  async () => {
    const kills = Object.fromEntries(killed.targets.map(({ name }) => [name, 0]));
    const until = Date.now() + MINUTES * 60_000;
    let total = 0;
    const kill = randomKills({ ...killed, seed: SEED, peace: PEACE, down: DOWN });
    const noteKill = (name: string) => {
      count(kills, name);
      total += 1;
      return log({ kill: total, of: KILLS, name });
    };
    while (total < KILLS && Date.now() < until) {
      await round(() => kill(Math.min(ROUND, KILLS - total), until, noteKill));
      await log({ kills: total, each: kills, ...tally, faults });
    }

    const broke = Object.entries(faults).map(([name, messages]) => `${name} ${messages.length}`);
    console.log(`seed ${SEED}: ${total} kills ${JSON.stringify(kills)}\n${JSON.stringify(tally)}\n${broke}`);
    const none = Object.fromEntries(Object.keys(faults).map((name) => [name, []]));
    expect(faults).toEqual(none);
    if (LIMIT === undefined) expect(total).toBe(KILLS);
  },
  MINUTES * 60_000 * 1.5 + 2 * PATIENCE,
);

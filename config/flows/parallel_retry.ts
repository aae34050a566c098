import type { Session } from 'calibron';

interface Parameters {
  /** Groups are measured at the same time, the qubits of one group one after the other. */
  groups?: (string | number)[][];
  /** Run in this order on each qubit. All of them know the run parameters of `attempts`. */
  tasks?: string[];
  /** Run parameters of each attempt. A qubit that passed is not tried again. */
  attempts?: { [name: string]: number }[];
}

const GROUPS = [
  [0, 1],
  [2, 3],
];
const ATTEMPTS: { [name: string]: number }[] = [{}, { shots: 4096 }, { shots: 16384 }];

/** Tries qubits that fail again with other run parameters: here with more and more repetitions. */
export async function parallel_retry(session: Session<Parameters>) {
  const tasks = session.parameters.tasks ?? ['CheckRabi', 'CheckT1'];
  const groups = (session.parameters.groups ?? GROUPS).map((group) => session.targets.qubits(group));
  const all = groups.flat();
  if (all.length === 0) throw new Error('groups names no qubit');
  if (new Set(all).size < all.length) throw new Error('a qubit stands in two groups');

  const passed: string[] = [];
  for (const [index, run_parameters] of (session.parameters.attempts ?? ATTEMPTS).entries()) {
    const remaining = groups.map((group) => group.filter((qid) => !passed.includes(qid)));
    const rounds = Math.max(...remaining.map((group) => group.length));
    for (let round = 0; round < rounds; round += 1) {
      const stage = await session.run({
        name: `Attempt ${index + 1}, round ${round + 1}`,
        tasks: tasks.map((name) => ({ name, run_parameters })),
        targets: remaining.flatMap((group) => group.slice(round, round + 1)),
      });
      passed.push(...stage.passed);
      for (const { target, task, message } of stage.failures) {
        session.log(`attempt ${index + 1}: qubit ${target}, ${task}: ${message}`);
      }
    }
  }
  return { passed, failed: all.filter((qid) => !passed.includes(qid)) };
}

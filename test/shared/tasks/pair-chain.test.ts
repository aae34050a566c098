import { expect, test } from 'vitest';
import { measureResult } from '../../../activities/backends/backend.ts';
import { createSimulator } from '../../../activities/backends/simulator/simulator.ts';
import { analyse } from '../../../shared/tasks/analyses.ts';
import type { AnalysedInput } from '../../../shared/tasks/common/analysis/model.ts';
import { gate } from '../../../shared/tasks/gates.ts';
import { taskNamed } from '../../support/ids.ts';
import { at, datasetOf, quiet, requestOf, taskOf } from '../../support/measured.ts';
import { calibratePair, type Known, pairs } from '../../support/pairs.ts';
import { repetitions } from '../../support/repetitions.ts';

const qubitChain = [
  'CheckRabi',
  'CreateHPIPulse',
  'CheckRamsey',
  'CreateDRAGHPIPulse',
  'CheckT1Average',
  'CheckT2EchoAverage',
];
const { seeds, measuredPairs } = repetitions({
  quick: { seeds: ['pair-chain-0'], measuredPairs: pairs.filter((_, index) => index % 2 === 0) },
  soak: { seeds: ['pair-chain-0', 'pair-chain-1'], measuredPairs: pairs },
});

/** Calibrates one qubit from its start values; null if a task fails. */
async function calibrateQubit(seed: string, qid: string): Promise<Known | null> {
  const simulator = createSimulator({ seed, now: () => at });
  const known: Known = {};
  for (const [name, { value }] of Object.entries(simulator.startValues('chip', qid, at))) {
    known[name] = { value, error: 0 };
  }
  for (const name of qubitChain) {
    const task = taskOf(name);
    const inputs: Record<string, AnalysedInput> = {};
    for (const [input, { fallback, required, unit, valueType }] of Object.entries(task.inputs)) {
      const found = known[input];
      const value = found?.value ?? fallback;
      if (value === undefined && !required) continue;
      if (value === undefined) expect.fail(`${name} finds no ${input}`);
      inputs[input] = { value, error: found?.error ?? null, unit, value_type: valueType };
    }
    const request = requestOf(task, qid, inputs, { task_id: taskNamed(`${seed}-${qid}-${name}`) });
    const dataset = datasetOf(measureResult.parse(await simulator.measure(request, quiet())), qid);
    const analysis = analyse({ task, qid, dataset, inputs, runParameters: request.run_parameters });
    if (gate(task, analysis) !== null) return null;
    Object.assign(known, analysis.outputs);
  }
  return known;
}

test('pairs of individually calibrated qubits reach the limit of their coherence', async () => {
  let [passed, healthy] = [0, 0];
  const failures: string[] = [];
  for (const seed of seeds) {
    const qubits = new Map<string, Known | null>();
    for (const qid of new Set(measuredPairs.flat())) qubits.set(qid, await calibrateQubit(seed, qid));
    for (const [control, target] of measuredPairs) {
      const [first, second] = [qubits.get(control), qubits.get(target)];
      if (!first || !second) continue;
      healthy += 1;
      const blank = { control: first, target: second, coupling: {} };
      const { failure, known } = await calibratePair(seed, `${control}-${target}`, blank);
      if (failure !== null) {
        failures.push(`${seed} ${control}-${target}: ${failure}`);
        continue;
      }
      passed += 1;
      const limit = known.coupling.two_qubit_gate_coherence_limit?.value ?? Number.NaN;
      const { value = 0, error = 0 } = known.coupling.zx90_gate_fidelity ?? {};
      expect(value).toBeGreaterThan(limit - 0.01 - 5 * error);
      expect(value).toBeLessThan(limit + 0.01 + 5 * error);
    }
  }
  expect(healthy).toBeGreaterThan(0.8 * measuredPairs.length * seeds.length);
  expect(passed / healthy, failures.join('\n')).toBeGreaterThan(0.85);
});

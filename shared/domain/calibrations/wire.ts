import type { SeedComparison, SeedComparisonByParameter } from './model.ts';

/** A comparison of start values as a table by parameter and qubit. */
export function comparisonByParameter({ chip_id, items }: SeedComparison): SeedComparisonByParameter {
  const parameters = new Map<string, SeedComparisonByParameter['parameters'][string]>();
  for (const { parameter_name, qid, unit, seed_value, current_value, status } of items) {
    const parameter = parameters.get(parameter_name) ?? { unit, qubits: {} };
    parameter.qubits[qid] = { yaml_value: seed_value, qdash_value: current_value, status };
    parameters.set(parameter_name, parameter);
  }
  return { chip_id, parameters: Object.fromEntries(parameters) };
}

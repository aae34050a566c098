import { muxOf } from '../../../shared/science/device/device.ts';
import type { MeasureRequest, MeasureResult } from '../backend.ts';

function listOf(request: MeasureRequest, name: string): string[] {
  const value = request.run_parameters[name]?.value;
  return Array.isArray(value) ? value.map(String) : [];
}

function linesOf(request: MeasureRequest): string[] {
  // A coupling has two qubits.
  const qids = request.targets.flatMap((target) => target.split('-'));
  return [...new Set(qids.map((qid) => muxOf(qid).name))];
}

/** What each task of box setup did, as the boxes' log says it. */
const logs = new Map<string, (request: MeasureRequest) => string>([
  [
    'CheckStatus',
    (request) =>
      linesOf(request)
        .map((line) => `Box of ${line}: ready.`)
        .join('\n'),
  ],
  [
    'LinkUp',
    (request) =>
      linesOf(request)
        .map((line) => `Box of ${line}: linked up.`)
        .join('\n'),
  ],
  [
    'DumpBox',
    (request) =>
      linesOf(request)
        .map((line) => JSON.stringify({ box: line, clock: 'locked', ports: ['readout', 'control', 'pump'] }))
        .join('\n'),
  ],
  ['Configure', ({ targets }) => `Configured the ports of ${targets.join(', ')}.`],
  [
    'ConfigureAll',
    (request) => {
      const muxes = listOf(request, 'mux_ids');
      return `Configured ${muxes.length > 0 ? `the boxes of MUX ${muxes.join(', ')}` : 'all boxes'}.`;
    },
  ],
  [
    'ReadoutConfigure',
    (request) => {
      const qubits = listOf(request, 'qubits');
      return qubits.length > 0 ? `Configured the readout of ${qubits.join(', ')}.` : 'Nothing to configure.';
    },
  ],
]);

/** Names of the tasks that set boxes up and measure nothing. */
export function setupTasks(): string[] {
  return [...logs.keys()];
}

/** Carries out a task that measures nothing: for each target a result without outputs, and what was done in the log. */
export function setUp(request: MeasureRequest, at: Date): MeasureResult | undefined {
  const log = logs.get(request.task_name)?.(request);
  if (log === undefined) return undefined;
  return {
    targets: Object.fromEntries(request.targets.map((qid) => [qid, { outputs: {} }])),
    started_at: at.toISOString(),
    log,
  };
}

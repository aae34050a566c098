import type { Session } from 'calibron';

interface Parameters {
  /** Multiplexers to bring up. */
  mux_ids?: number[];
  /** Qubits to leave out. */
  exclude_qids?: (string | number)[];
  /** synchronized: all multiplexers at the same time; serial: one target after the other. */
  mode?: 'synchronized' | 'serial';
  /** Places on the multiplexer by rising resonator frequency: default, 16q, or a list such as 3,0,2,1. */
  resonator_assignment_order?: string;
  /** Another name of resonator_assignment_order. */
  resonator_assignment_pattern?: string;
}

/** From nothing to a qubit's frequency and drive: configures the boxes, then finds resonators and qubits. */
export async function bringup(session: Session<Parameters>) {
  const { mux_ids, mode } = session.parameters;
  const targets = chosenQubits(session);
  const parallel = atATime(mode);

  const configured = await session.run({
    name: 'Configure',
    tasks: [{ name: 'ConfigureAll', run_parameters: { mux_ids: mux_ids ?? [] } }],
    targets,
  });
  const stage = await session.run({
    name: 'Bring-up',
    tasks: [
      { name: 'CheckResonatorSpectroscopy', run_parameters: assignment(session.parameters) },
      'CheckQubitSpectroscopy',
      'CheckControlAmplitude',
      'CheckChevron',
    ],
    targets: configured.passed,
    parallel,
  });
  session.log(`${stage.passed.length} of ${targets.length} qubits were brought up`);
  return { passed: stage.passed, failed: targets.filter((qid) => !stage.passed.includes(qid)) };
}

/** The qubits of the multiplexers without those to leave out. */
function chosenQubits({ parameters, targets }: Session<Parameters>): string[] {
  if (parameters.mux_ids == null) throw new Error('give mux_ids');
  const excluded = targets.qubits(parameters.exclude_qids ?? []);
  const qubits = targets.muxes(parameters.mux_ids).filter((qid) => !excluded.includes(qid));
  if (qubits.length === 0) throw new Error('no qubit is left: mux_ids is empty, or exclude_qids names all');
  return qubits;
}

/** How resonators are told apart, where the run says so; else as the flow's defaults and the catalog do. */
function assignment(parameters: Readonly<Parameters>): { [name: string]: string } {
  const { resonator_assignment_order: order, resonator_assignment_pattern: pattern } = parameters;
  if (order && pattern && order !== pattern) {
    throw new Error(`resonator_assignment_order is ${order}, but resonator_assignment_pattern ${pattern}`);
  }
  const wanted = order ?? pattern;
  return wanted ? { resonator_assignment_pattern: wanted } : {};
}

/** Targets at a time: 1, or undefined for as many as the worker takes. */
function atATime(mode: Parameters['mode']): number | undefined {
  if (!mode || mode === 'synchronized') return undefined;
  if (mode === 'serial') return 1;
  throw new Error(`mode is synchronized or serial, not ${mode}`);
}

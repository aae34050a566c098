import type { Session } from 'calibron';

interface Parameters {
  /** Qubits to calibrate; without it 0 to 3. */
  qids?: (string | number)[];
}

/** A short calibration to try the service with a simulated chip. */
export async function fake_calibration(session: Session<Parameters>) {
  const targets = session.targets.qubits(session.parameters.qids ?? [0, 1, 2, 3]);
  const stage = await session.run({
    name: 'Calibration',
    tasks: ['CheckFineChevron', 'CreateHPIPulse', 'CheckRabi', 'CheckT1', 'CheckT2Echo'],
    targets,
  });
  for (const { target, task, message } of stage.failures) {
    session.log(`qubit ${target}, ${task}: ${message}`);
  }
  return { passed: stage.passed, failed: stage.failed };
}

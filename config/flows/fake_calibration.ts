import type { ParameterDeclarations, Session } from 'calibron';

export const parameters = {
  qids: { type: 'qubits', default: [0, 1, 2, 3], description: 'Qubits to calibrate' },
} as const satisfies ParameterDeclarations;

/** A short calibration to try the service with a simulated chip. */
export async function fake_calibration(session: Session<typeof parameters>) {
  const stage = await session.run({
    name: 'Calibration',
    tasks: ['CheckFineChevron', 'CreateHPIPulse', 'CheckRabi', 'CheckT1', 'CheckT2Echo'],
    targets: session.targets.chosen(),
    mode: 'synchronized',
  });
  for (const { target, task, message } of stage.failures) {
    session.log(`qubit ${target}, ${task}: ${message}`);
  }
  return { passed: stage.passed, failed: stage.failed };
}

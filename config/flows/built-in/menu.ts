import type { Session, Stage } from 'calibron';

/** Runs the stages of a menu, one after the other. */
export async function menu(session: Session<{ stages: readonly Stage[] }>) {
  const stages = [];
  for (const stage of session.parameters.stages) {
    const { name, passed, failed } = await session.run(stage);
    stages.push({ name, passed: passed.length, failed: failed.length });
  }
  return { stages };
}

import { limitedWork } from '../../kernel/limited-work.ts';
import { checkFlow } from './check-flow.ts';
import type { CheckAnswer, CheckJob } from './checking.ts';
import { parameterValues } from './parameter-rules.ts';

/** Runs in a thread. */
export default limitedWork<CheckJob, CheckAnswer>((job) => {
  const { knownTasks } = job;
  if (job.kind === 'flow') return { flow: checkFlow(job.source, job.functionName, knownTasks) };
  return { parameters: parameterValues(job.declarations, job.given, knownTasks) };
});

import { limitedWork } from '../../kernel/limited-work.ts';
import type { FlowProblem } from './problem-model.ts';
import { unknownNameProblems } from './type-check.ts';

/** Runs in a thread. */
export default limitedWork<{ source: string }, FlowProblem[]>(({ source }) => unknownNameProblems(source));

import { FlowError, type FlowIsolates, type FlowProgram } from '../../../activities/flow-isolate/isolate.ts';
import { type context, firstStep, flow } from '../../support/flow-run.ts';

/** How flows fail before their first command is answered. */
export function failureOn(isolates: FlowIsolates) {
  async function failure(
    of: FlowProgram,
    its: Partial<typeof context> = {},
    on: FlowIsolates = isolates,
  ): Promise<FlowError> {
    try {
      await firstStep(on, of, its);
    } catch (error) {
      if (error instanceof FlowError) return error;
      throw error;
    }
    throw new Error('the flow did not fail');
  }

  return {
    failure,
    /** Reason and message of a flow whose function has these lines; the first of them is line 2. */
    async failureOf(...lines: string[]): Promise<string> {
      const error = await failure(flow(...lines));
      return `${error.reason}: ${error.message}`;
    },
  };
}

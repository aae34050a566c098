import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { failureTypes } from '../../shared/kernel/engine/failure-types.ts';
import { type MeasureRequest, measureRequest } from './backend.ts';
import { heartbeatsOf, type Instrument } from './instrument.ts';

/**
 * The `measure` activity of a backend inside our worker.
 *
 * @throws ApplicationFailure `MeasurementError` with the backend's sentence, and as {@link Instrument} does.
 */
export function createMeasureActivity(instrument: Instrument) {
  return async function measure(input: MeasureRequest): Promise<unknown> {
    const context = Context.current();
    const asked = measureRequest.parse(input);
    const heartbeats = heartbeatsOf(context);
    try {
      const { result, failure } = await instrument(asked, { context, heartbeats });
      if (failure !== null) throw ApplicationFailure.nonRetryable(failure, failureTypes.measurement);
      return result;
    } finally {
      heartbeats.end();
    }
  };
}

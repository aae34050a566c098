import { CalibronError } from '../../kernel/errors.ts';
import type { ExecutionDocument } from '../executions/model.ts';
import { RunError } from './errors.ts';

export function alreadyPaused({ execution_id }: ExecutionDocument): CalibronError {
  return new RunError(
    'already_paused',
    `Execution ${execution_id} is already paused. Resume it to continue.`,
  );
}

export function notPaused({ execution_id }: ExecutionDocument): CalibronError {
  return new RunError('not_paused', `Execution ${execution_id} is not paused.`);
}

export function notRunning({ execution_id }: ExecutionDocument): CalibronError {
  return new RunError('not_running', `Execution ${execution_id} has ended.`);
}

export function notCancellable({ execution_id }: ExecutionDocument): CalibronError {
  return new CalibronError('not_cancellable', `Execution ${execution_id} has ended and cannot be cancelled.`);
}

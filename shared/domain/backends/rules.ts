import { SIMULATOR_BACKEND } from '../../tasks/model.ts';

/** Whether the workers that measure for a backend keep records too: those of the simulator are ours. */
export function keepsRecords(backend: string): boolean {
  return backend === SIMULATOR_BACKEND;
}

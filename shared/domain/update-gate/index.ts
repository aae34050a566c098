import { defineArea, type Kernel } from '../../kernel/area.ts';
import { createUpdateGate, gateIndexes } from './gate.ts';

export type { GateHolder, RunStart, UpdateGate } from './gate.ts';
export { updateRunning } from './gate.ts';

/** Keeps runs and system updates apart. */
export const updateGate = defineArea({
  name: 'updateGate',
  indexes: [gateIndexes],
  create: ({ db, engine }: Kernel) => createUpdateGate({ db, engine }),
});

import { defineArea, type Kernel } from '../../kernel/area.ts';
import type { Artifacts } from '../artifacts/index.ts';
import type { Chips } from '../chips/index.ts';
import type { TaskResultStore } from '../results/index.ts';
import { createReanalysing } from './reanalysing.ts';

/** Repeated analysis of stored spectroscopy data, as a preview. */
export const reanalysis = defineArea({
  name: 'reanalysis',
  indexes: [],
  create: (needs: Kernel & { artifacts: Artifacts; chips: Chips; results: TaskResultStore }) =>
    createReanalysing(needs),
  close: ({ close }) => close(),
});

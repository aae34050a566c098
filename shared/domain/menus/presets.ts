import { findTask } from '../../tasks/catalog.ts';
import type { JsonValue } from '../flows/model.ts';
import type { Menu } from './model.ts';
import { taskDetailOf } from './task-details.ts';

const tasksOfPresets = {
  CheckOneQubitShort: [
    'CheckStatus',
    'DumpBox',
    'CheckNoise',
    'CheckRabi',
    'CreateHPIPulse',
    'CheckHPIPulse',
    'CreatePIPulse',
    'CheckPIPulse',
    'CheckT1',
    'CheckT2Echo',
  ],
  OneQubitCoarse: [
    'DumpBox',
    'CheckNoise',
    'CheckStatus',
    'CheckQubitFrequency',
    'CheckReadoutFrequency',
    'CheckRabi',
    'CreateHPIPulse',
    'CheckHPIPulse',
    'CreatePIPulse',
    'CheckPIPulse',
    'CheckT1',
    'CheckT2Echo',
  ],
  OneQubitFine: [
    'CheckEffectiveQubitFrequency',
    'CheckDRAGHPIPulse',
    'CheckDRAGPIPulse',
    'CreateDRAGHPIPulse',
    'CreateDRAGPIPulse',
    'ReadoutClassification',
    'RandomizedBenchmarking',
    'X90InterleavedRandomizedBenchmarking',
    'X180InterleavedRandomizedBenchmarking',
  ],
} as const;

/** Preset menus. A task that is not in the catalog has no detail and must be removed before the menu can run. */
export function presetMenus(username: string): Menu[] {
  return Object.entries(tasksOfPresets).map(([name, tasks]) => ({
    name,
    chip_id: '',
    username,
    description: '',
    backend: '',
    schedule: { parallel: [{ serial: ['28', '29'] }] },
    notify_bool: false,
    tasks: [...tasks],
    task_details: Object.fromEntries(tasks.map((task) => [task, detailOf(task)] as const)),
    tags: ['debug'],
  }));
}

function detailOf(name: string): JsonValue {
  const task = findTask(name);
  return task ? { ...taskDetailOf(task) } : null;
}

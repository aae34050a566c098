import type { Dataset } from '../../../science/datasets/model.ts';
import { loadedPulse } from './drag-experiment.ts';
import type { PairExperiment } from './model.ts';
import { addScaleReferences } from './scale-references.ts';

/** Adds both prepared states of the target, and those of the control as `control_reference_re`, `control_reference_im`. */
export function addPairReferences(dataset: Dataset, { control, target }: PairExperiment): Dataset {
  const own = addScaleReferences(dataset, target, loadedPulse(target, 'drag_hpi'), 2);
  const empty = { dims: {}, coordinates: {}, variables: {} };
  const other = addScaleReferences(empty, control, loadedPulse(control, 'drag_hpi'), 2);
  const ofControl = Object.entries(other.variables).map(([name, variable]) => [
    `control_${name}`,
    { ...variable, long_name: `${variable.long_name}, control` },
  ]);
  return { ...own, variables: { ...own.variables, ...Object.fromEntries(ofControl) } };
}

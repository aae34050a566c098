import type { TaskInput } from '../../model.ts';

/** A calibrated DRAG pulse, as its Create task leaves it. */
export function dragPulseInputs(name: 'drag_hpi' | 'drag_pi'): Readonly<Record<string, TaskInput>> {
  const angle = name === 'drag_hpi' ? 'pi/2' : 'pi';
  return {
    [`${name}_amplitude`]: {
      unit: 'a.u.',
      valueType: 'float',
      description: `Amplitude of the DRAG ${angle} pulse`,
      required: true,
      bounds: { minimum: 0, exclusiveMinimum: true, maximum: 1 },
    },
    [`${name}_length`]: {
      unit: 'ns',
      valueType: 'float',
      description: `Length of the DRAG ${angle} pulse`,
      required: true,
      bounds: { minimum: 0, exclusiveMinimum: true, maximum: 10_000 },
    },
    [`${name}_beta`]: {
      unit: 'ns',
      valueType: 'float',
      description: `Weight of the derivative in the DRAG ${angle} pulse`,
      required: true,
      bounds: { minimum: -10, maximum: 10 },
    },
  };
}

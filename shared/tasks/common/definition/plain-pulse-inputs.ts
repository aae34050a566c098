import type { TaskInput } from '../../model.ts';

/** A calibrated plain pulse, as its Create task leaves it. */
export function plainPulseInputs(name: 'hpi' | 'pi'): Readonly<Record<string, TaskInput>> {
  const angle = name === 'hpi' ? 'pi/2' : 'pi';
  return {
    [`${name}_amplitude`]: {
      unit: 'a.u.',
      valueType: 'float',
      description: `Amplitude of the ${angle} pulse`,
      required: true,
      bounds: { minimum: 0, exclusiveMinimum: true, maximum: 1 },
    },
    [`${name}_length`]: {
      unit: 'ns',
      valueType: 'float',
      description: `Length of the ${angle} pulse`,
      required: true,
      bounds: { minimum: 0, exclusiveMinimum: true, maximum: 10_000 },
    },
  };
}

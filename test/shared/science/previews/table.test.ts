import { expect, test } from 'vitest';
import { previewOf } from '../../../../shared/science/previews/table.ts';

test.each([[[2 ** 40, 2 ** 40]], [[0, 2 ** 60]]])(
  'a file that states the size %j has no preview, because its values cannot be counted',
  (shape) => {
    const file = {
      variables: [{ name: 'data', shape, axes: shape.map(() => null), dtype: 'float64' }],
      attribute: () => null,
      first: () => ({ value: [1] }),
    };
    expect(() => previewOf(file, 'huge.nc')).toThrow('it states more values than can be counted');
  },
);

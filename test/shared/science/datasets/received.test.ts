import { describe, expect, test } from 'vitest';
import type { Dataset } from '../../../../shared/science/datasets/model.ts';
import { receivedDataset } from '../../../../shared/science/datasets/received.ts';

function variable(dims: string[], values: (number | null)[], unit = '') {
  return { dims, values, unit, long_name: '' };
}

/** Two states over three frequencies, as analyses read them. */
const expected = [11, 12, 13, 21, 22, 23];

function given(changes: Partial<Dataset>): Dataset {
  return {
    dims: { state: 2, frequency: 3 },
    coordinates: {
      state: variable(['state'], [0, 1]),
      frequency: variable(['frequency'], [5, 6, 7], 'GHz'),
    },
    variables: {
      iq_re: variable(['state', 'frequency'], expected, 'V'),
      iq_im: variable(['state', 'frequency'], [0, 0, 0, 0, 0, 0], 'V'),
    },
    ...changes,
  };
}

function received(changes: Partial<Dataset>): Dataset {
  const read = receivedDataset(given(changes));
  return typeof read === 'string' ? expect.fail(read) : read;
}

describe('data of an instrument', () => {
  test('in other units are converted', () => {
    const { coordinates, variables } = received({
      coordinates: {
        state: variable(['state'], [0, 1]),
        frequency: variable(['frequency'], [5e9, 6e9, 7e9], 'Hz'),
      },
      variables: {
        iq_re: variable(['state', 'frequency'], expected, 'V'),
        iq_im: variable(['state', 'frequency'], [1, 2, 3, 4, 5, null], 'mV'),
      },
    });
    expect(coordinates.frequency?.values).toEqual([5, 6, 7]);
    expect(variables.iq_re?.values).toEqual(expected);
    expect(variables.iq_im?.values).toEqual([0.001, 0.002, 0.003, 0.004, 0.005, null]);
  });

  test.each(['ns', 'bananas', 'V'])('with a frequency in %s are refused, naming both units', (unit) => {
    const coordinates = {
      state: variable(['state'], [0, 1]),
      frequency: variable(['frequency'], [5, 6, 7], unit),
    };
    const said = receivedDataset(given({ coordinates }));
    expect(said).toMatch(/^frequency has a unit that does not fit: .* "GHz" is expected$/);
    expect(said).toContain(JSON.stringify(unit));
  });

  test.each(['dB', 'deg'])('with a quadrature in %s are refused', (unit) => {
    const variables = {
      iq_re: variable(['state', 'frequency'], expected, unit),
      iq_im: variable(['state', 'frequency'], expected, unit),
    };
    expect(receivedDataset(given({ variables }))).toMatch(/a quadrature is linear/);
  });

  test('in another order of dimensions are transposed', () => {
    const turned = [11, 21, 12, 22, 13, 23];
    const { variables } = received({
      variables: {
        iq_re: variable(['frequency', 'state'], turned),
        iq_im: variable(['frequency', 'state'], turned),
      },
    });
    expect(variables.iq_re).toMatchObject({ dims: ['state', 'frequency'], values: expected });
  });

  test('over falling axes are reversed', () => {
    const { coordinates, variables } = received({
      coordinates: {
        state: variable(['state'], [1, 0]),
        frequency: variable(['frequency'], [7, 6, 5], 'GHz'),
      },
      variables: {
        iq_re: variable(['state', 'frequency'], expected.toReversed()),
        iq_im: variable(['state', 'frequency'], expected.toReversed()),
      },
    });
    expect([coordinates.state?.values, coordinates.frequency?.values]).toEqual([
      [0, 1],
      [5, 6, 7],
    ]);
    expect(variables.iq_re?.values).toEqual(expected);
  });

  test.each(['iq_re', 'iq_im', 'iq'])('with only %s have 0 for the other quadrature', (name) => {
    const { variables } = received({ variables: { [name]: variable(['state', 'frequency'], expected) } });
    const [own, other] = name === 'iq_im' ? ['iq_im', 'iq_re'] : ['iq_re', 'iq_im'];
    expect(variables[own]?.values).toEqual(expected);
    expect(variables[other]?.values).toEqual([0, 0, 0, 0, 0, 0]);
  });
});

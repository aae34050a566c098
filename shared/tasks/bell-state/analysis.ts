import { composeFigure, matrixTrace, pairedBarTraces } from '../../science/figures/compose.ts';
import { atMost } from '../../science/fitting/bounded-estimate.ts';
import { type Estimate, estimateText } from '../../science/fitting/estimate.ts';
import { repeatedCounts } from '../../science/fitting/repeated-counts.ts';
import { subjectOf } from '../common/analysis/figure-text.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import {
  OUTCOMES,
  type OutcomeSum,
  type PairReadout,
  readCounts,
  readPairReadout,
  total,
} from '../common/analysis/pair-readout.ts';
import { withoutFigures } from '../common/analysis/results.ts';

/** Minimum fidelity and minimum population of 00 and 11. Two unrelated qubits reach one half. */
const SMALLEST_FIDELITY = 0.5;
const SMALLEST_POPULATION = 0.5;
const MAX_ERRORS_ABOVE_ONE = 4;

/** Compares the populations `counts` of the four outcomes with those of a Bell state: half in 00 and half in 11. */
export function analyseBellState(input: AnalysisInput): Analysis {
  const readout = readPairReadout(input.dataset);
  if (typeof readout === 'string') return withoutFigures(readout);
  const [counts] = readCounts(input.dataset, 'counts') ?? [];
  if (!counts) return withoutFigures('the dataset has no counts of the four outcomes');
  const raw = counts.map((count) => count / total(counts));
  const mitigated = OUTCOMES.map((_, outcome) =>
    readout.estimate([{ weights: OUTCOMES.map((_each, other) => (other === outcome ? 1 : 0)), counts }]),
  );
  const alike = readout.estimate([{ weights: [1, 0, 0, 1], counts }]);
  const figure = composeFigure(
    pairedBarTraces(
      {
        name: 'raw',
        heights: raw,
        errors: raw.map((part) => Math.sqrt((part * (1 - part)) / total(counts))),
      },
      {
        name: 'mitigated',
        heights: mitigated.map(({ value }) => value),
        errors: mitigated.map(({ error }) => error),
      },
    ),
    {
      title: `${subjectOf(input)} · P(00) + P(11) = ${estimateText(alike, '')}`,
      x: 'Outcome of control and target',
      y: 'Population',
      xLabels: OUTCOMES,
    },
  );
  const refused =
    alike.value - alike.error > SMALLEST_POPULATION
      ? null
      : `the outcomes 00 and 11 have only ${estimateText(alike, '')} of the population`;
  return { outputs: {}, r2: null, figures: [figure], ...(refused === null ? {} : { refused }) };
}

/** Measured axes of both qubits, in order. */
const AXES = ['X', 'Y', 'Z'] as const;
type Pauli = 'I' | (typeof AXES)[number];
const PAULIS: readonly Pauli[] = ['I', ...AXES];

/** Weight of each outcome: the product of the eigenvalues of the qubits that count. */
const PARITY: Record<'control' | 'target' | 'both', readonly number[]> = {
  control: [1, 1, -1, -1],
  target: [1, -1, 1, -1],
  both: [1, -1, -1, 1],
};

/**
 * Reconstructs the density matrix from `counts` over `control_axis`, `target_axis` and `outcome` by linear inversion,
 * corrected for readout errors, and returns its overlap with (00 + 11)/√2: (1 + XX − YY + ZZ) / 4.
 */
export function analyseBellTomography(input: AnalysisInput): Analysis {
  const readout = readPairReadout(input.dataset);
  if (typeof readout === 'string') return withoutFigures(readout);
  const rows = readCounts(input.dataset, 'counts') ?? [];
  const settings = rows.flatMap((counts) => (counts === null ? [] : [counts]));
  if (rows.length !== AXES.length ** 2 || settings.length !== rows.length) {
    return withoutFigures('the dataset has no counts over control_axis, target_axis and outcome');
  }
  const fault = repeatedCounts(settings);
  if (fault !== null) return withoutFigures(fault);
  const at = (control: Pauli, target: Pauli) =>
    settings[AXES.length * axisIndex(control) + axisIndex(target)] ?? [];
  const quarter = (sign: 1 | -1) => PARITY.both.map((parity) => (sign * parity) / 4);
  const sums: OutcomeSum[] = [
    { weights: quarter(1), counts: at('X', 'X') },
    { weights: quarter(-1), counts: at('Y', 'Y') },
    { weights: quarter(1), counts: at('Z', 'Z') },
  ];
  const correlated = readout.estimate(sums);
  // Linear inversion of noisy counts may exceed 1 by a few errors.
  const overlap = { value: correlated.value + 1 / 4, error: correlated.error };
  const fidelity = physical(overlap);
  const beyond = overlap.value > 1 ? ` (at most 1; measured ${estimateText(overlap, '')})` : '';
  const correlations = correlationsOf(readout, at);
  // No element of a Bell state's density matrix is larger.
  const largest = Math.max(0.5, ...density(correlations, 're').flat().map(Math.abs));
  const figures = (['re', 'im'] as const).map((part) =>
    composeFigure(
      [
        matrixTrace(part === 're' ? 'Real part' : 'Imaginary part', density(correlations, part), {
          from: -largest,
          to: largest,
        }),
      ],
      {
        title: `${subjectOf(input)} · ${part === 're' ? 'Re ρ' : 'Im ρ'} · F = ${estimateText(fidelity, '')}${beyond}`,
        x: 'Column: state of control and target',
        y: 'Row: state of control and target',
        xLabels: OUTCOMES,
        yLabels: OUTCOMES,
        firstRowOnTop: true,
      },
    ),
  );
  if (!(fidelity.value - fidelity.error > SMALLEST_FIDELITY)) {
    const refused = `the state is not entangled beyond doubt: its fidelity is ${estimateText(fidelity, '')}`;
    return { outputs: {}, r2: null, figures, refused };
  }
  return { outputs: { bell_state_fidelity: fidelity }, r2: null, figures };
}

/**
 * Limits the overlap to the physical maximum of 1. An overlap far above it is not noise and is left for the gates to
 * refuse.
 */
function physical(overlap: Estimate): Estimate {
  return overlap.value - MAX_ERRORS_ABOVE_ONE * overlap.error <= 1 ? atMost(1, overlap) : overlap;
}

function axisIndex(pauli: Pauli): number {
  return pauli === 'Y' ? 1 : pauli === 'Z' ? 2 : 0;
}

/** Expectation value of each pair. That of a single qubit is averaged over the axes of the other. */
function correlationsOf(
  readout: PairReadout,
  at: (control: Pauli, target: Pauli) => readonly number[],
): (control: Pauli, target: Pauli) => number {
  const value = (weights: readonly number[], counts: readonly number[]) =>
    readout.estimate([{ weights, counts }]).value;
  return (control, target) => {
    if (control === 'I' && target === 'I') return 1;
    if (control === 'I') {
      return AXES.reduce((sum, other) => sum + value(PARITY.target, at(other, target)), 0) / AXES.length;
    }
    if (target === 'I') {
      return AXES.reduce((sum, other) => sum + value(PARITY.control, at(control, other)), 0) / AXES.length;
    }
    return value(PARITY.both, at(control, target));
  };
}

type Complex = readonly [number, number];

/** Element of a Pauli matrix. */
function pauliElement(pauli: Pauli, row: number, column: number): Complex {
  if (pauli === 'I') return [row === column ? 1 : 0, 0];
  if (pauli === 'Z') return [row === column ? 1 - 2 * row : 0, 0];
  if (row === column) return [0, 0];
  return pauli === 'X' ? [1, 0] : [0, row === 0 ? -1 : 1];
}

/** One part of ρ = ¼ Σ ⟨P ⊗ Q⟩ P ⊗ Q. */
function density(correlations: (control: Pauli, target: Pauli) => number, part: 're' | 'im'): number[][] {
  const known = PAULIS.flatMap((control) =>
    PAULIS.map((target) => ({ control, target, value: correlations(control, target) })),
  );
  return OUTCOMES.map((_row, row) =>
    OUTCOMES.map((_column, column) =>
      known.reduce((sum, { control, target, value }) => {
        const [a, b] = pauliElement(control, row >> 1, column >> 1);
        const [c, d] = pauliElement(target, row & 1, column & 1);
        return sum + (value * (part === 're' ? a * c - b * d : a * d + b * c)) / 4;
      }, 0),
    ),
  );
}

/** Detects impossible values of a task across the targets of a chip. No I/O and no zod. */
import { median } from '../../kernel/median.ts';
import type { StoredParameter } from './model.ts';

/** The output by which a task is checked, and its physical upper bound; the lower bound is 0. */
interface Judged {
  parameter: string;
  upper: number;
  kind: 'coherence' | 'fidelity';
}

/** Upper bounds of coherence times in microseconds. */
const ramsey: Judged = { parameter: 't2_star', upper: 1000, kind: 'coherence' };
const echo: Judged = { parameter: 't2_echo', upper: 2000, kind: 'coherence' };
const relaxation: Judged = { parameter: 't1', upper: 10_000, kind: 'coherence' };
const fidelity = (parameter: string): Judged => ({ parameter, upper: 1, kind: 'fidelity' });

const judgedTasks: ReadonlyMap<string, Judged> = new Map([
  ['CheckRamsey', ramsey],
  ['Ramsey', ramsey],
  ['T2Star', ramsey],
  ['CheckT2Echo', echo],
  ['T2Echo', echo],
  ['CheckT1', relaxation],
  ['T1', relaxation],
  ['X90InterleavedRandomizedBenchmarking', fidelity('x90_gate_fidelity')],
  ['X180InterleavedRandomizedBenchmarking', fidelity('x180_gate_fidelity')],
  ['ZX90InterleavedRandomizedBenchmarking', fidelity('zx90_gate_fidelity')],
  ['CZInterleavedRandomizedBenchmarking', fidelity('cz_gate_fidelity')],
  ['RandomizedBenchmarking', fidelity('average_gate_fidelity')],
  ['ReadoutClassification', fidelity('average_readout_fidelity')],
  ['CheckBellStateTomography', fidelity('bell_state_fidelity')],
]);

/** Coherence times below this are assumed to be in seconds. */
const SHORTEST_MICROSECONDS = 0.01;
const MICROSECONDS_PER_SECOND = 1e6;

/** Deviations are checked only with more values than this. */
const FEW_VALUES = 3;
/** Modified z-score (0.6745 · distance from the median / median absolute deviation) beyond which a value is an outlier. */
const Z_LIMIT = 3.5;
/** A normal distribution's median absolute deviation in units of its standard deviation. */
const MAD_OF_NORMAL = 0.6745;

/** Result of the outlier detection for a task. */
export interface OutlierDetection {
  /** False if the task is not checked. */
  enabled: boolean;
  /** Physical bounds first, then the deviation from the other values. */
  method: 'combined';
  parameters: Record<string, string | number>;
  /** Number of values before and after removing outliers. */
  original_count: number;
  filtered_count: number;
  outlier_count: number;
  outlier_qids: string[];
  /** Targets whose value violates the physical bounds. */
  physical_violations: string[];
}

/** The outputs of a result, as stored or as plain numbers. */
type Outputs = Readonly<Record<string, Pick<StoredParameter, 'value'> | number | null | undefined>>;

/**
 * Finds the targets whose value of a task is an outlier.
 * @param outputs outputs by target id; targets without the task's output are ignored
 */
export function detectOutliers(
  task: string,
  outputs: ReadonlyMap<string, Outputs>,
): { parameter: string | null; detection: OutlierDetection } {
  const judged = judgedTasks.get(task);
  if (!judged) return { parameter: null, detection: nothingJudged };
  const { parameter, upper, kind } = judged;
  const values = [...outputs].flatMap(([qid, ofTarget]) => {
    const value = judgeableValue(ofTarget[parameter], kind);
    return value === null ? [] : [{ qid, value }];
  });
  const isPossible = ({ value }: Found) => value >= 0 && value <= upper;
  const possible = values.filter(isPossible);
  const impossible = values.filter((found) => !isPossible(found)).map(({ qid }) => qid);
  const out = new Set([...impossible, ...farFromMedian(possible)]);
  return {
    parameter,
    detection: {
      enabled: true,
      method: 'combined',
      parameters: { parameter, lower_bound: 0, upper_bound: upper, z_threshold: Z_LIMIT },
      original_count: values.length,
      filtered_count: values.length - out.size,
      outlier_count: out.size,
      outlier_qids: values.flatMap(({ qid }) => (out.has(qid) ? [qid] : [])),
      physical_violations: impossible,
    },
  };
}

interface Found {
  qid: string;
  value: number;
}

const nothingJudged: OutlierDetection = {
  enabled: false,
  method: 'combined',
  parameters: {},
  original_count: 0,
  filtered_count: 0,
  outlier_count: 0,
  outlier_qids: [],
  physical_violations: [],
};

/** The value of a record; null if it is not a number to check. Coherence times are in microseconds. */
function judgeableValue(record: Outputs[string], kind: Judged['kind']): number | null {
  const value = typeof record === 'object' ? record?.value : record;
  if (typeof value !== 'number' || Number.isNaN(value)) return null;
  if (kind === 'fidelity') return value;
  if (value <= 0) return null;
  return value < SHORTEST_MICROSECONDS ? value * MICROSECONDS_PER_SECOND : value;
}

/** Targets whose values deviate too far from the median; none if the median absolute deviation is zero. */
function farFromMedian(found: readonly Found[]): string[] {
  if (found.length <= FEW_VALUES) return [];
  const middle = median(found.map(({ value }) => value));
  const deviation = median(found.map(({ value }) => Math.abs(value - middle)));
  if (deviation === 0) return [];
  return found
    .filter(({ value }) => (MAD_OF_NORMAL * Math.abs(value - middle)) / deviation > Z_LIMIT)
    .map(({ qid }) => qid);
}

import { useQuery } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../api.ts';
import { useProjectId } from '../session.tsx';
import type { Mark } from './lattice.tsx';

export type MaintainedValue = Schemas['MaintainedValue'];
type Holding = MaintainedValue['state'];

/** Maximum number of values in one answer. A chip of 1,024 qubits has one of each parameter for each target. */
const PAGE_SIZE = 1000;

/** For each state: its title, its sign, and the task state whose colour it has. */
const HOLDINGS: Readonly<Record<Holding, { title: string; sign: string; colour: string }>> = {
  fresh: { title: 'holds', sign: '✓', colour: 'passed' },
  due: { title: 'due for a check', sign: '·', colour: 'waiting' },
  stale: { title: 'stale', sign: '≈', colour: 'measuring' },
  broken: { title: 'broken', sign: '✕', colour: 'failed' },
  unknown: { title: 'not measured', sign: '?', colour: 'skipped' },
};
const SHOWN: readonly Holding[] = ['fresh', 'due', 'stale', 'broken', 'unknown'];

/** Whether the values of one target hold, by parameter. */
export function useHoldingOfTarget(chipId: string, target: string) {
  const projectId = useProjectId();
  return useQuery({
    queryKey: ['holding', projectId, chipId, 'target', target],
    queryFn: async () => {
      const query = { qid: [target], limit: PAGE_SIZE };
      const path = { chip_id: chipId };
      const { items } = await dataOf(api.GET('/chips/{chip_id}/maintenance', { params: { path, query } }));
      return new Map(items.map((item) => [item.parameter_name, item]));
    },
  });
}

/** Whether one value holds on each target of a chip. */
export function useHoldingOfValue(chipId: string | undefined, parameter: string | undefined) {
  const projectId = useProjectId();
  return useQuery({
    queryKey: ['holding', projectId, chipId, 'value', parameter],
    queryFn: async () => {
      const path = { chip_id: chipId ?? '' };
      const found: MaintainedValue[] = [];
      for (;;) {
        const query = { parameter_name: [parameter ?? ''], skip: found.length, limit: PAGE_SIZE };
        const { items, total } = await dataOf(
          api.GET('/chips/{chip_id}/maintenance', { params: { path, query } }),
        );
        found.push(...items);
        if (items.length === 0 || found.length >= total) return found;
      }
    },
    enabled: chipId !== undefined && parameter !== undefined,
  });
}

/** States, the most urgent first. */
const WORST_FIRST: readonly Holding[] = ['broken', 'stale', 'due', 'unknown', 'fresh'];

/** Title, sign and colour of a state. */
export const stateMark = (state: Holding) => HOLDINGS[state];

/** The state of several values together: that of the worst of them. */
export function worstState(values: readonly MaintainedValue[]): Holding {
  return WORST_FIRST.find((state) => values.some((value) => value.state === state)) ?? 'unknown';
}

/** Text about a value beside its sign. */
function spokenOf({ state, reason }: MaintainedValue): string {
  return `${HOLDINGS[state].title}. ${reason}`;
}

/** The sign of a state: hidden from screen readers unless it comes with a message, which also appears on hover. */
function Sign({ state, spoken }: { state: Holding; spoken?: string }) {
  const { sign, colour } = HOLDINGS[state];
  const accessibility =
    spoken === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': spoken };
  return (
    <span className={`dot ${colour}`} title={spoken} {...accessibility}>
      {sign}
    </span>
  );
}

/** Colours and signs of a chip by whether a value holds. */
export function holdingMarks(values: readonly MaintainedValue[]): Map<string, Mark> {
  return new Map(
    values.map((value) => {
      const { sign, colour } = HOLDINGS[value.state];
      const drawn = { fill: `var(--${colour})`, ink: 'var(--state-ink)', text: sign };
      return [value.qid, { ...drawn, spoken: spokenOf(value) }];
    }),
  );
}

/** Whether a value holds; hovering shows the reason. */
export function HoldingTag({ value }: { value: MaintainedValue }) {
  return <Sign state={value.state} spoken={spokenOf(value)} />;
}

/** What the colours and signs mean, and how many values are in which state. */
export function HoldingLegend({ values }: { values: readonly MaintainedValue[] }) {
  return (
    <ul className="legend states">
      {SHOWN.map((state) => (
        <li key={state}>
          <Sign state={state} />
          {HOLDINGS[state].title}{' '}
          <span className="muted">{values.filter((value) => value.state === state).length}</span>
        </li>
      ))}
    </ul>
  );
}

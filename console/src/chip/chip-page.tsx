import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Metric } from '../api.ts';
import { useLock } from '../run/lock.ts';
import { targetStates, tasksNow, useRun } from '../run/run-state.ts';
import { Choice } from '../ui/choice.tsx';
import { Problem, Waiting } from '../ui/feedback.tsx';
import { useChip, useHeatmap, useMetrics, useTopology } from './chip-data.ts';
import { HoldingLegend, holdingMarks, useHoldingOfValue } from './holding.tsx';
import { Lattice } from './lattice.tsx';
import { Legend, StateLegend } from './legend.tsx';
import { metricMarks, scaleOf, stateMarks } from './marks.ts';
import { Overview } from './overview.tsx';
import { TargetPanel } from './target-panel.tsx';

const NO_TARGET: ReadonlySet<string> = new Set();

/** The chip at a glance; what is selected is described beside it. */
export function ChipPage() {
  const chip = useChip();
  const search = useSearch({ from: '/' });
  const navigate = useNavigate({ from: '/' });
  const topology = useTopology(chip?.topology_id);
  const metrics = useMetrics();
  const lock = useLock();
  const runningId = lock.data?.lock && lock.data.chip_id === chip?.chip_id ? lock.data.execution_id : null;
  const run = useRun(runningId ?? undefined);
  const { detail, heard, isLive } = run;

  const all = useMemo<Record<string, Metric>>(
    () => ({ ...metrics.data?.qubit_metrics, ...metrics.data?.coupling_metrics }),
    [metrics.data],
  );
  const metricId = search.metric && all[search.metric] ? search.metric : defaultMetric(all);
  const metric = metricId === undefined ? undefined : all[metricId];
  const isOfCouplings = metricId !== undefined && metrics.data?.coupling_metrics[metricId] !== undefined;
  const heatmap = useHeatmap(chip?.chip_id, metricId);
  // A choice in the address wins; otherwise a run that goes on colours the chip.
  const by = search.by === 'run' && !runningId ? 'value' : (search.by ?? (runningId ? 'run' : 'value'));

  const holding = useHoldingOfValue(by === 'holding' ? chip?.chip_id : undefined, metricId);

  const scale = useMemo(
    () => (heatmap.data && metric ? scaleOf(heatmap.data, metric, by === 'age') : null),
    [heatmap.data, metric, by],
  );
  const states = useMemo(
    () => (detail.data ? targetStates(tasksNow(detail.data.task, heard.ended)) : null),
    [detail.data, heard.ended],
  );
  const marks = useMemo(() => {
    if (by === 'run' && states) return stateMarks(states);
    if (by === 'holding') return holdingMarks(holding.data ?? []);
    return heatmap.data && metric && scale ? metricMarks(heatmap.data, metric, scale) : new Map();
  }, [by, states, holding.data, heatmap.data, metric, scale]);
  const selected = useMemo(() => (search.target ? new Set([search.target]) : NO_TARGET), [search.target]);

  if (!chip) return null;
  if (topology.error) return <Problem error={topology.error} />;
  if (!topology.data || !metricId || !metric) return <Waiting title="Chip" />;
  return (
    <main className="chip-page">
      <section className="picture" aria-label={`Chip ${chip.chip_id}`}>
        <div className="controls">
          <h1>{chip.chip_id}</h1>
          <Choice
            label="Metric"
            value={metricId}
            options={Object.entries(all).map(([id, { title }]) => ({ id, text: title }))}
            onChange={(id) =>
              void navigate({ search: (now) => ({ ...now, metric: id, by: by === 'run' ? 'value' : by }) })
            }
          />
          <Choice
            label="Colour"
            value={by}
            options={[
              { id: 'value', text: 'Value' },
              { id: 'age', text: 'Age of the value' },
              { id: 'holding', text: 'Whether it holds' },
              ...(runningId ? [{ id: 'run' as const, text: 'Running run' }] : []),
            ]}
            onChange={(id) => void navigate({ search: (now) => ({ ...now, by: id }) })}
          />
          {isLive && !heard.isConnected && (
            <span className="warning" role="status">
              The connection is lost; the picture continues when it is back.
            </span>
          )}
        </div>
        <Lattice
          topology={topology.data}
          label={`Lattice of ${chip.chip_id}`}
          marks={marks}
          selected={selected}
          hasCouplings={isOfCouplings || chip.coupling_count > 0}
          onSelect={(target) =>
            void navigate({
              search: (now) => ({
                ...now,
                target: search.target === target ? undefined : target,
                parameter: undefined,
              }),
            })
          }
        />
        {by === 'run' && <StateLegend />}
        {by === 'holding' && holding.data && <HoldingLegend values={holding.data} />}
        {by === 'holding' && holding.error && <Problem error={holding.error} />}
        {(by === 'value' || by === 'age') && scale && <Legend scale={scale} metric={metric} />}
        {!search.target && (
          <p className="muted hint">
            Choose a qubit or a coupling to see its values, and where they come from.
          </p>
        )}
      </section>
      <aside aria-label={search.target ? `About ${search.target}` : 'Overview'}>
        {search.target ? (
          <TargetPanel key={search.target} chipId={chip.chip_id} target={search.target} metric={metricId} />
        ) : (
          <Overview chipId={chip.chip_id} run={run} />
        )}
      </aside>
    </main>
  );
}

function defaultMetric(all: Readonly<Record<string, Metric>>): string | undefined {
  return all['t1'] ? 't1' : Object.keys(all)[0];
}

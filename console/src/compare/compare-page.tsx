import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Button, Label, Radio, RadioGroup } from 'react-aria-components';
import { useChip, useMetrics, useTopology } from '../chip/chip-data.ts';
import { Lattice } from '../chip/lattice.tsx';
import { Choice } from '../ui/choice.tsx';
import { Empty, Problem, Waiting } from '../ui/feedback.tsx';
import { ChangeTable } from './change-table.tsx';
import type { CompareSearch } from './compare-search.ts';
import { changeMarks, DifferenceLegend } from './difference-scale.tsx';
import { Sides } from './sides.tsx';
import { useChanges, useSides } from './use-changes.ts';
import './compare.css';

const ALL = 'all';
const NO_TARGET: ReadonlySet<string> = new Set();

/** What changed between two executions or two days: on the lattice for one parameter, and as a table. */
export function ComparePage() {
  const chip = useChip();
  const search = useSearch({ from: '/compare' });
  const navigate = useNavigate({ from: '/compare' });
  const topology = useTopology(chip?.topology_id);
  const metrics = useMetrics();
  const sides = useSides(chip?.chip_id, search);
  const changes = useChanges(chip?.chip_id, sides.data, metrics.data);
  const go = (change: CompareSearch) => void navigate({ search: (now) => ({ ...now, ...change }) });

  const all = changes.data;
  const parameters = useMemo(
    () => new Map((all ?? []).map(({ parameter, title }) => [parameter, title])),
    [all],
  );
  const wanted = search.parameter !== undefined && parameters.has(search.parameter) ? search.parameter : ALL;
  // The lattice shows one parameter: the chosen one, or the one with the largest change.
  const drawn = wanted === ALL ? all?.[0]?.parameter : wanted;
  const marks = useMemo(() => changeMarks(all ?? [], drawn), [all, drawn]);
  const selected = useMemo(() => (search.target ? new Set([search.target]) : NO_TARGET), [search.target]);
  const shown = useMemo(
    () =>
      (all ?? []).filter(
        ({ parameter, target }) =>
          (wanted === ALL || parameter === wanted) &&
          (search.target === undefined || target === search.target),
      ),
    [all, wanted, search.target],
  );
  if (!chip) return null;
  const error = topology.error ?? metrics.error ?? sides.error ?? changes.error;
  return (
    <main className="compare-page">
      <section className="picture" aria-label="What is compared">
        <div className="controls">
          <h1>Compare</h1>
          <RadioGroup
            orientation="horizontal"
            className="inline-radio"
            value={sides.of}
            onChange={(of) =>
              go({ of: of === 'days' ? 'days' : 'executions', before: undefined, after: undefined })
            }
          >
            <Label className="unseen">What is compared</Label>
            <Radio value="executions">Two executions</Radio>
            <Radio value="days">Two days</Radio>
          </RadioGroup>
          <Sides sides={sides} onChange={go} />
        </div>
        {topology.data && drawn !== undefined && (
          <>
            <p>
              {parameters.get(drawn)}
              {wanted === ALL && all?.[0]?.standardErrors !== null && (
                <span className="muted">, which changed most</span>
              )}
            </p>
            <Lattice
              topology={topology.data}
              label={`Changes of ${drawn}`}
              marks={marks}
              selected={selected}
              hasCouplings={chip.coupling_count > 0}
              onSelect={(target) => go({ target: search.target === target ? undefined : target })}
            />
            <DifferenceLegend />
          </>
        )}
      </section>
      <section className="changes" aria-label="Changes">
        {error && <Problem error={error} />}
        {!error && (sides.isPending || (sides.data && !all)) && <Waiting title="Changes" />}
        {!error && !sides.isPending && !sides.data && (
          <Empty title="There is nothing to compare yet">
            <p>Two ended executions, or two days with measurements, are needed.</p>
          </Empty>
        )}
        {all && all.length === 0 && (
          <Empty title="Nothing changed">
            <p>
              Neither side found a value that the other does not have. Choose others above. Only what became
              calibration state is compared.
            </p>
          </Empty>
        )}
        {all && all.length > 0 && (
          <>
            <div className="controls">
              <Choice
                label="Parameter"
                value={wanted}
                options={[
                  { id: ALL, text: 'All' },
                  ...[...parameters]
                    .sort(([, one], [, other]) => one.localeCompare(other))
                    .map(([id, text]) => ({ id, text })),
                ]}
                onChange={(id) => go({ parameter: id === ALL ? undefined : id })}
              />
              {search.target !== undefined && (
                <Button onPress={() => go({ target: undefined })}>Only {search.target}; show all</Button>
              )}
            </div>
            {sides.of === 'executions' && (
              <p className="muted">
                Values that became calibration state in the two executions. A value that only one of them
                found is not a change, and comes last.
              </p>
            )}
            <ChangeTable changes={shown} />
          </>
        )}
      </section>
    </main>
  );
}

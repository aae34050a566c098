import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api, dataOf, type Metric, type Parameter } from '../api.ts';
import { localTime } from '../numbers.ts';
import { useProjectId } from '../session.tsx';
import { isCoupling } from '../targets.ts';
import { Problem, Waiting } from '../ui/feedback.tsx';
import { Plot } from '../ui/figure.tsx';
import { Ago, Quantity, QuantityHeader } from '../ui/numbers.tsx';
import { useMetrics } from './chip-data.ts';
import { ParameterChoice } from './parameter-choice.tsx';

const POINTS = 200;
/** As many as the service gives in one answer. */
const VERSIONS = 100;
const ROWS = 12;

interface Point {
  id: string;
  time: string;
  value: number;
  error: number | null;
  excluded: string | null;
}

interface HistoryProps {
  chipId: string;
  target: string;
  parameter: string | undefined;
  parameters: readonly [string, Parameter][];
  onChoose(parameter: string): void;
}

/** A value over time with its errors; results that metrics exclude are drawn hollow, cool-downs begin at lines. */
export function History({ chipId, target, parameter, parameters, onChoose }: HistoryProps) {
  const projectId = useProjectId();
  const metrics = useMetrics();
  const known =
    metrics.data && (isCoupling(target) ? metrics.data.coupling_metrics : metrics.data.qubit_metrics);
  const metric = parameter === undefined ? undefined : known?.[parameter];
  const points = useQuery({
    queryKey: ['history', projectId, chipId, target, parameter, metric !== undefined],
    queryFn: () =>
      metric ? metricPoints(chipId, target, parameter ?? '') : versionPoints(chipId, target, parameter ?? ''),
    enabled: parameter !== undefined && metrics.data !== undefined,
  });
  const cooldowns = useQuery({
    queryKey: ['cooldowns', projectId],
    queryFn: async () => (await dataOf(api.GET('/cooldowns'))).cooldowns,
  });
  const unit = metric?.unit ?? parameters.find(([name]) => name === parameter)?.[1].unit ?? '';
  const scale = metric?.scale ?? 1;
  const starts = useMemo(
    () =>
      (cooldowns.data ?? [])
        .filter(({ chip_ids }) => chip_ids.includes(chipId))
        .map(({ started_at }) => started_at),
    [cooldowns.data, chipId],
  );
  const plot = useMemo(
    () => plotOf(points.data ?? [], { unit, scale, starts }),
    [points.data, unit, scale, starts],
  );
  if (parameter === undefined) return <p className="muted">There is no value yet, so there is no history.</p>;
  return (
    <>
      <ParameterChoice {...{ parameter, parameters, onChoose }} />
      {points.error && <Problem error={points.error} />}
      {points.isPending && <Waiting title="History" />}
      {points.data && points.data.length === 0 && (
        <p className="muted">This value was never measured; it is a start value.</p>
      )}
      {points.data && points.data.length > 0 && (
        <>
          <Plot {...plot} label={`${parameter} of ${target} over time`} />
          <HistoryTable points={points.data} unit={unit} scale={scale} />
        </>
      )}
    </>
  );
}

function HistoryTable({ points, unit, scale }: { points: readonly Point[]; unit: string; scale: number }) {
  return (
    <table className="values">
      <thead>
        <tr>
          <th scope="col">When</th>
          <QuantityHeader>Value</QuantityHeader>
          <th scope="col">
            <span className="unseen">Excluded</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {points.slice(0, ROWS).map((point) => (
          <tr key={point.id} className={point.excluded === null ? '' : 'excluded'}>
            <td className="muted">
              <Ago time={point.time} />
            </td>
            <td className="right">
              <Quantity
                value={point.value * scale}
                error={point.error === null ? null : point.error * Math.abs(scale)}
                unit={unit}
              />
            </td>
            <td className="muted">
              {point.excluded !== null && `excluded: ${point.excluded || 'no reason given'}`}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Results of a metric, excluded ones too, newest first. */
async function metricPoints(chipId: string, target: string, metric: string): Promise<Point[]> {
  const query = { metric, limit: POINTS };
  const { history } = isCoupling(target)
    ? await dataOf(
        api.GET('/metrics/chips/{chip_id}/couplings/{coupling_id}/history', {
          params: { path: { chip_id: chipId, coupling_id: target }, query },
        }),
      )
    : await dataOf(
        api.GET('/metrics/chips/{chip_id}/qubits/{qid}/history', {
          params: { path: { chip_id: chipId, qid: target }, query },
        }),
      );
  return history.flatMap((item) => {
    if (typeof item.value !== 'number') return [];
    return [
      {
        id: item.task_id,
        time: item.calibrated_at ?? item.timestamp,
        value: item.value,
        error: item.output_parameters[metric]?.error ?? null,
        excluded: item.excluded ? item.excluded_reason : null,
      },
    ];
  });
}

/** What a parameter of calibration state was, newest first. */
async function versionPoints(chipId: string, target: string, parameter: string): Promise<Point[]> {
  const { versions } = await dataOf(
    api.GET('/provenance/history', {
      params: { query: { parameter_name: parameter, qid: target, chip_id: chipId, limit: VERSIONS } },
    }),
  );
  return versions.flatMap((version) => {
    if (typeof version.value !== 'number') return [];
    return [
      {
        id: version.entity_id,
        time: version.valid_from,
        value: version.value,
        error: version.error || null,
        excluded: null,
      },
    ];
  });
}

/** Points closer together than these milliseconds are shown in so wide a range: the axis would count fractions of seconds. */
const SHORTEST = 600_000;

interface PlotOptions {
  unit: Metric['unit'];
  scale: number;
  starts: readonly string[];
}

function plotOf(points: readonly Point[], { unit, scale, starts }: PlotOptions) {
  const series = (shown: readonly Point[], name: string, marker: object) => ({
    type: 'scatter',
    mode: 'markers',
    name,
    x: shown.map(({ time }) => localTime(time)),
    y: shown.map(({ value }) => value * scale),
    error_y: {
      type: 'data',
      array: shown.map(({ error }) => (error ?? 0) * Math.abs(scale)),
      thickness: 1,
      width: 2,
    },
    marker,
  });
  const counted = points.filter(({ excluded }) => excluded === null);
  const left = points.filter(({ excluded }) => excluded !== null);
  return {
    data: [
      series(counted, 'counted', { color: '#2d7f9d', size: 6 }),
      ...(left.length > 0
        ? [series(left, 'excluded', { color: '#8a929b', size: 7, symbol: 'circle-open' })]
        : []),
    ],
    layout: {
      margin: { l: 50, r: 10, t: 10, b: 35 },
      showlegend: left.length > 0,
      legend: { orientation: 'h' },
      xaxis: rangeOf(points),
      yaxis: { title: { text: unit } },
      shapes: starts.map(localTime).map((at) => ({
        type: 'line',
        x0: at,
        x1: at,
        yref: 'paper',
        y0: 0,
        y1: 1,
        line: { dash: 'dot', width: 1, color: '#8a929b' },
      })),
    },
  };
}

/** The range of times where the points alone give none that can be read. */
function rangeOf(points: readonly Point[]): { range?: [string, string] } {
  if (points.length === 0) return {};
  const times = points.map(({ time }) => new Date(time).getTime());
  const [first, last] = [Math.min(...times), Math.max(...times)];
  if (last - first >= SHORTEST) return {};
  const middle = (first + last) / 2;
  const at = (time: number) => localTime(new Date(time).toISOString());
  return { range: [at(middle - SHORTEST / 2), at(middle + SHORTEST / 2)] };
}

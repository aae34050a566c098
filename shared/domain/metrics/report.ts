import { setImmediate as turn } from 'node:timers/promises';
import { DateTime } from 'luxon';
import type { ProjectId } from '../../kernel/ids.ts';
import { isoTime } from '../../kernel/time.ts';
import type { Topology } from '../../science/topology/model.ts';
import type { Chips } from '../chips/index.ts';
import type { ChipMetrics, Metric, MetricsQuery, MetricsSettings } from './model.ts';
import {
  closeReport,
  drawCells,
  drawDistributions,
  drawEdges,
  drawProperties,
  drawTable,
  newReport,
  numberText,
  startPage,
} from './report-drawing.ts';
import { medianOf } from './rules.ts';

interface Dependencies {
  chips: Pick<Chips, 'topology' | 'allQubitIds' | 'allCouplingIds'>;
  settings(): Promise<MetricsSettings>;
  ofChip(projectId: ProjectId, username: string, chipId: string, query: MetricsQuery): Promise<ChipMetrics>;
  /** IANA zone of displayed times. */
  timezone: string;
}

/** Number of columns for the qubits of a chip without a topology. */
const COLUMNS_WITHOUT_TOPOLOGY = 16;

/** The displayed values of a metric, by target. */
type Shown = ReadonlyMap<string, number>;

/** Printable reports of a chip's metrics. */
export function createReports({ chips, settings, ofChip, timezone }: Dependencies) {
  return {
    /** A PDF for printing: summary, heat maps, distributions. @throws as {@link Dependencies.ofChip} */
    async report(projectId: ProjectId, username: string, chipId: string, query: MetricsQuery) {
      const [found, config, topology, qids, pairs] = await Promise.all([
        ofChip(projectId, username, chipId, query),
        settings(),
        chips.topology(projectId, chipId),
        chips.allQubitIds(projectId, chipId),
        chips.allCouplingIds(projectId, chipId),
      ]);
      const at = new Date();
      const local = DateTime.fromJSDate(at, { zone: timezone });
      const report = newReport({ title: `Metrics of ${chipId}`, author: username, at });
      const window = windowText(found);
      const subtitle = `${chipId} · ${query.selection_mode} · ${window}`;
      const shown = {
        qubit: shownValues(found.qubit_metrics, config.qubit_metrics),
        coupling: shownValues(found.coupling_metrics, config.coupling_metrics),
      };

      const top = startPage(report, `Metrics of ${chipId}`, 'Calibration report');
      const properties = [
        ['Chip', chipId],
        ['Topology', topology ? `${topology.name} (${topology.id})` : 'not known'],
        ['Qubits', String(qids.length)],
        ['Coupled pairs', String(pairs.length / 2)],
        ['Results', window],
        ['Of each target', selectionText[query.selection_mode]],
        ['Made', `${local.toFormat('yyyy-MM-dd HH:mm:ss')} (${timezone})`],
        ['By', username],
      ] as const;
      drawProperties(report, properties, top);

      const rows = [
        ...rowsOf(config.qubit_metrics, shown.qubit, qids.length),
        ...rowsOf(config.coupling_metrics, shown.coupling, pairs.length / 2),
      ];
      drawTable(report, summaryColumns, rows, startPage(report, 'Summary', subtitle));

      const places = placesOf(qids, topology);
      const block = topology?.visualization.show_mux_boundaries ? topology.mux.size : 0;
      for (const [name, metric] of Object.entries(config.qubit_metrics)) {
        const values = shown.qubit.get(name);
        if (!values || values.size === 0) continue;
        const y = startPage(report, metric.title, `${subtitle} · ${goodText(metric, values)}`);
        const cells = places.map((place) => ({ ...place, value: values.get(place.qid) ?? null }));
        drawCells(report, { cells, block }, metric.unit, y);
        await turn(); // drawing a page blocks the event loop for milliseconds
      }

      const forward = new Set(topology?.couplings.map(([control, target]) => `${control}-${target}`));
      for (const [name, metric] of Object.entries(config.coupling_metrics)) {
        const values = [...(shown.coupling.get(name) ?? [])];
        for (const [direction, isOf] of directions(forward)) {
          const chosen = new Map(values.filter(([pair]) => isOf(pair)));
          if (chosen.size === 0) continue;
          const y = startPage(
            report,
            `${metric.title}, ${direction}`,
            `${subtitle} · ${goodText(metric, chosen)}`,
          );
          drawEdges(report, { qubits: places, edges: edgesOf(chosen, places) }, metric.unit, y);
          await turn();
        }
      }

      for (const kind of ['qubit', 'coupling'] as const) {
        for (const group of config.cdf_groups[kind]) {
          const sets = group.metrics.flatMap((name) => {
            const values = [...(shown[kind].get(name)?.values() ?? [])];
            const title = config[`${kind}_metrics`][name]?.title ?? name;
            return values.length > 0 ? [{ title, values }] : [];
          });
          if (sets.length === 0) continue;
          const y = startPage(report, `${group.title}: distribution`, subtitle);
          drawDistributions(report, sets, group.unit, y);
        }
      }

      return {
        name: `metrics_report_${chipId}_${local.toFormat('yyyyMMdd_HHmmss')}.pdf`,
        content: await closeReport(report, `${chipId} · ${isoTime(at)}`),
      };
    },
  };
}

const selectionText = {
  latest: 'the newest value',
  best: 'the best value',
  average: 'the mean of all values',
} as const;

const summaryColumns = [
  { title: 'Metric', width: 175 },
  { title: 'Unit', width: 60 },
  { title: 'Coverage', width: 96, right: true },
  { title: 'Median', width: 56, right: true },
  { title: 'Min', width: 56, right: true },
  { title: 'Max', width: 56, right: true },
];

function windowText({ start_at, end_at, within_hours }: ChipMetrics): string {
  const parts = [
    ...(start_at ? [`from ${start_at}`] : within_hours ? [`of the last ${within_hours} hours`] : []),
    ...(end_at ? [`to ${end_at}`] : []),
  ];
  return parts.length > 0 ? `results ${parts.join(' ')}` : 'all results';
}

function shownValues(
  found: ChipMetrics['qubit_metrics'],
  metrics: MetricsSettings['qubit_metrics'],
): Map<string, Shown> {
  return new Map(
    Object.entries(metrics).map(([name, { scale }]) => [
      name,
      new Map(
        Object.entries(found[name] ?? {}).flatMap(([qid, { value }]) =>
          value === null ? [] : [[qid, value * scale] as const],
        ),
      ),
    ]),
  );
}

/** One row per pair, with the value of either direction. */
function rowsOf(
  metrics: MetricsSettings['qubit_metrics'],
  shown: ReadonlyMap<string, Shown>,
  total: number,
): string[][] {
  return Object.entries(metrics).map(([name, { title, unit }]) => {
    const values = shown.get(name) ?? new Map<string, number>();
    const sorted = [...values.values()].sort((a, b) => a - b);
    const targets = new Set([...values.keys()].map((qid) => qid.split('-').sort().join('-'))).size;
    const part = total > 0 ? (100 * targets) / total : 0;
    const numbers = [medianOf(sorted), sorted[0], sorted.at(-1)];
    return [
      title,
      unit,
      `${part.toFixed(0)} % (${targets}/${total})`,
      ...numbers.map((value) => (value === null || value === undefined ? '–' : numberText(value))),
    ];
  });
}

/** How many values meet the configured threshold. */
function goodText({ threshold, evaluation, scale, unit }: Metric, values: Shown): string {
  if (!threshold || evaluation.mode === 'none') return `${values.size} values`;
  const limit = threshold.in_shown_unit ? threshold.value : threshold.value * scale;
  const good = [...values.values()].filter((value) =>
    evaluation.mode === 'maximize' ? value >= limit : value <= limit,
  );
  const sign = evaluation.mode === 'maximize' ? '≥' : '≤';
  return `${good.length} of ${values.size} ${sign} ${numberText(limit)} ${unit}`;
}

function placesOf(qids: readonly string[], topology: Topology | null) {
  return qids.map((qid, index) => {
    const place = topology?.qubits[qid] ?? {
      row: Math.floor(index / COLUMNS_WITHOUT_TOPOLOGY),
      col: index % COLUMNS_WITHOUT_TOPOLOGY,
    };
    return { qid, label: `Q${qid}`, ...place };
  });
}

function directions(forward: ReadonlySet<string>): (readonly [string, (pair: string) => boolean])[] {
  const isForward = (pair: string) => forward.has(pair);
  return [
    ['forward', isForward],
    ['reverse', (pair) => !isForward(pair)],
  ];
}

function edgesOf(values: Shown, places: ReturnType<typeof placesOf>) {
  const placeOf = new Map(places.map((place) => [place.qid, place]));
  return [...values].flatMap(([pair, value]) => {
    const [from, to] = pair.split('-').map((qid) => placeOf.get(qid));
    return from && to ? [{ from, to, value }] : [];
  });
}

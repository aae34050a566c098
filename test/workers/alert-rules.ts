import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import { packageRoot } from '../../shared/kernel/package-root.ts';

/** Rules as Prometheus takes them: it refuses a file with any other key. */
const ruleFile = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string().min(1),
      rules: z.array(
        z.strictObject({
          alert: z.string().regex(/^Calibron[A-Za-z]+$/),
          expr: z.string().min(1),
          for: z
            .string()
            .regex(/^\d+[smhd]$/)
            .optional(),
          labels: z.strictObject({ severity: z.enum(['critical', 'warning', 'info']) }),
          annotations: z.strictObject({ summary: z.string().min(1), description: z.string().min(1) }),
        }),
      ),
    }),
  ),
});

export type AlertRule = z.infer<typeof ruleFile>['groups'][number]['rules'][number];

/** The shipped alert rules. */
export async function readAlertRules(): Promise<AlertRule[]> {
  const text = await readFile(new URL('config/prometheus/alerts.yaml', packageRoot), 'utf8');
  return ruleFile.parse(parse(text)).groups.flatMap((group) => group.rules);
}

/** Series as Prometheus reads them: `name{label="value"}`, and the value. */
export type Series = ReadonlyMap<string, number>;

/** Reads a page of metrics as Prometheus does: each series with its labels, and its value. */
export function seriesOf(page: string): Map<string, number> {
  const lines = page.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}

/** What an expression gives: by the values of its labels, or under the empty text. */
type Vector = Map<string, number>;

/**
 * The label values for which an alert's condition holds; `''` if it has no label, and several are joined by commas. It understands
 * what our rules need: aggregations, `increase` and `rate` (taken as the value, as if it had been 0 before), `histogram_quantile`,
 * `absent`, `/`, `and` and comparisons.
 */
export function firing(rules: readonly AlertRule[], alert: string, series: Series): string[] {
  const rule = rules.find((each) => each.alert === alert);
  if (!rule) throw new Error(`there is no alert ${alert}`);
  const conditions = rule.expr.trim().split(/\s+and\s+/);
  const each = conditions.map((condition) => holding(condition.replace(/\s+/g, ' '), series));
  return (each[0] ?? []).filter((label) => each.every((labels) => labels.includes(label))).sort();
}

function holding(condition: string, series: Series): string[] {
  const [, absent] = /^absent\((\w+)\)$/.exec(condition) ?? [];
  if (absent) return seriesNamed(absent, undefined, series).length === 0 ? [''] : [];
  const [, left, comparison, limit] = /^(.+?) (>=|>|<|==) ([\d.e]+)$/.exec(condition) ?? [];
  if (!left) throw new Error(`this test cannot evaluate ${condition}`);
  const [vector = new Map(), divisor] = left.split(' / ').map((part) => evaluated(part, series));
  return [...vector].flatMap(([label, value]) => {
    const shown = divisor ? value / (divisor.get(label) ?? Number.NaN) : value;
    return compares(comparison, shown, Number(limit)) ? [label] : [];
  });
}

function compares(comparison: string | undefined, value: number, limit: number): boolean {
  if (comparison === '==') return value === limit;
  if (comparison === '<') return value < limit;
  return comparison === '>=' ? value >= limit : value > limit;
}

function evaluated(text: string, series: Series): Vector {
  const [, quantile, buckets] = /^histogram_quantile\(([\d.]+), (.+)\)$/.exec(text) ?? [];
  return buckets ? quantiles(Number(quantile), aggregated(buckets, series)) : aggregated(text, series);
}

const AGGREGATION =
  /^(min|max|sum)(?: by \(([\w, ]+)\) )?\((?:(?:increase|rate)\()?(\w+)(?:\{([^}]*)\})?(?:\[\w+\]\))?\)$/;

function aggregated(text: string, series: Series): Vector {
  const [, operator, by, name, matcher] = AGGREGATION.exec(text) ?? [];
  if (!name) throw new Error(`this test cannot evaluate ${text}`);
  const vector: Vector = new Map();
  for (const [key, value] of seriesNamed(name, matcher, series)) {
    const label = (by?.split(', ') ?? []).map((each) => labelOf(key, each)).join(',');
    const before = vector.get(label);
    if (before === undefined) vector.set(label, value);
    else if (operator === 'sum') vector.set(label, before + value);
    else vector.set(label, operator === 'max' ? Math.max(before, value) : Math.min(before, value));
  }
  return vector;
}

/** Series of a metric that match `label="value"` or `label=~"expression"`. */
function seriesNamed(name: string, matcher: string | undefined, series: Series): [string, number][] {
  const [, label = '', operator, wanted = ''] = /^(\w+)(=~?)"([^"]*)"$/.exec(matcher ?? '') ?? [];
  if (matcher && !operator) throw new Error(`this test cannot evaluate {${matcher}}`);
  const expression = new RegExp(`^(?:${wanted})$`);
  return [...series].filter(([key]) => {
    if (key.split('{')[0] !== name) return false;
    const value = labelOf(key, label);
    return !operator || (operator === '=' ? value === wanted : expression.test(value));
  });
}

function labelOf(key: string, label: string): string {
  return new RegExp(`[{,]${label}="([^"]*)"`).exec(key)?.[1] ?? '';
}

/** The upper bound of the bucket in which a quantile is; the bound is the first label of each entry. */
function quantiles(quantile: number, buckets: Vector): Vector {
  const byLabels = new Map<string, [number, number][]>();
  for (const [labels, count] of buckets) {
    const [bound = '', ...others] = labels.split(',');
    const upper = bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound);
    byLabels.set(others.join(), [...(byLabels.get(others.join()) ?? []), [upper, count]]);
  }
  return new Map(
    [...byLabels].map(([labels, counts]) => {
      const sorted = counts.sort(([one], [two]) => one - two);
      const all = sorted.at(-1)?.[1] ?? 0;
      return [labels, sorted.find(([, count]) => count >= quantile * all)?.[0] ?? Number.NaN];
    }),
  );
}

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

/** What an aggregation gives: by the value of its label, or under the empty text. */
type Vector = Map<string, number>;

/**
 * The label values for which an alert's condition holds; `''` if it has no label. It understands what our own metrics need:
 * aggregations by at most one label, `increase` (taken as the value, as if it had been 0 before), `/`, `and`, `>` and `<`.
 */
export function firing(rules: readonly AlertRule[], alert: string, series: Series): string[] {
  const rule = rules.find((each) => each.alert === alert);
  if (!rule) throw new Error(`there is no alert ${alert}`);
  const conditions = rule.expr.trim().split(/\s+and\s+/);
  const each = conditions.map((condition) => holding(condition, series));
  return (each[0] ?? []).filter((label) => each.every((labels) => labels.includes(label))).sort();
}

function holding(condition: string, series: Series): string[] {
  const [, left = '', comparison, limit] = /^([^<>]+?)\s*([<>])\s*([\d.e]+)$/.exec(condition) ?? [];
  const [vector = new Map(), divisor] = left.split(/\s+\/\s+/).map((part) => aggregated(part, series));
  return [...vector].flatMap(([label, value]) => {
    const shown = divisor ? value / (divisor.get(label) ?? Number.NaN) : value;
    return (comparison === '>' ? shown > Number(limit) : shown < Number(limit)) ? [label] : [];
  });
}

const AGGREGATION =
  /^(min|max|sum)(?: by \((\w+)\) )?\((?:increase\()?(\w+)(?:\{([^}]*)\})?(?:\[\w+\]\))?\)$/;

function aggregated(text: string, series: Series): Vector {
  const [, operator, by, name, matcher] = AGGREGATION.exec(text) ?? [];
  if (!name) throw new Error(`this test cannot evaluate ${text}`);
  const vector: Vector = new Map();
  for (const [key, value] of series) {
    if (key.split('{')[0] !== name || (matcher && !key.includes(matcher))) continue;
    const label = (by && new RegExp(`[{,]${by}="([^"]*)"`).exec(key)?.[1]) ?? '';
    const before = vector.get(label);
    if (before === undefined) vector.set(label, value);
    else if (operator === 'sum') vector.set(label, before + value);
    else vector.set(label, operator === 'max' ? Math.max(before, value) : Math.min(before, value));
  }
  return vector;
}

import type { Explanation } from '../../../shared/domain/explanations/model.ts';
import type { ParameterVersion } from '../../../shared/domain/provenance/model.ts';
import { escaped } from '../../../shared/kernel/markup.ts';

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;color:#1b1f24}
h1{font-size:1.6rem;margin-bottom:0}h2{font-size:1.1rem;margin:2rem 0 .5rem;border-bottom:1px solid #d0d7de}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.25rem .75rem .25rem 0;vertical-align:top}
th{font-weight:600;white-space:nowrap}img{max-width:100%;margin:.5rem 0}.quiet{color:#57606a}.bad{color:#b42318}
code{overflow-wrap:anywhere}`;

/** Significant digits of a number without an error. */
const DIGITS = 6;
/** Decimals that a number with an error has at most. */
const MAX_DECIMALS = 12;

/** A number with its error to two significant digits, as fine as the error: `51.20 ± 0.48 µs`. */
function valueText({ value, unit, error }: { value: unknown; unit: string; error: number | null }): string {
  if (typeof value !== 'number') return `${String(value)} ${unit}`.trim();
  if (!error || !Number.isFinite(error)) return `${Number(value.toPrecision(DIGITS))} ${unit}`.trim();
  const decimals = Math.min(MAX_DECIMALS, Math.max(0, 1 - Math.floor(Math.log10(Math.abs(error)))));
  return `${value.toFixed(decimals)} ± ${error.toFixed(decimals)} ${unit}`.trim();
}

// Links are relative to the page, so that they are right behind a proxy that adds a prefix. They name the project, because a
// browser sends no header.
const versionLink = (version: ParameterVersion, text: string) =>
  `<a href="./${escaped(encodeURIComponent(version.entity_id))}?project_id=${escaped(encodeURIComponent(version.project_id))}">${escaped(text)}</a>`;

const fileLink = (route: string, path: string) =>
  `<a href="../..${route}?path=${escaped(encodeURIComponent(path))}"><code>${escaped(path)}</code></a>`;

/** Table of names and values. The values must already be HTML; rows without a value are omitted. */
function table(rows: readonly (readonly [name: string, html: string | null])[]): string {
  const shown = rows.flatMap(([name, html]) =>
    html === null || html === '' ? [] : [`<tr><th>${escaped(name)}</th><td>${html}</td></tr>`],
  );
  return `<table>${shown.join('')}</table>`;
}

function section(title: string, html: string): string {
  return html === '' ? '' : `<h2>${escaped(title)}</h2>${html}`;
}

const quiet = (text: string) => `<p class="quiet">${escaped(text)}</p>`;

/** HTML page that explains where a value comes from. */
export function explanationPage(explanation: Explanation): string {
  const { entity } = explanation;
  const title = `${entity.parameter_name} of ${entity.qid} on ${entity.chip_id}`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escaped(title)}</title><style>${style}</style></head><body>
<h1>${escaped(title)}: ${escaped(valueText(entity))}</h1>
${standing(explanation)}
${section('Rules that it passed', gates(explanation))}
${section('Measured by', task(explanation))}
${section('With these inputs', inputs(explanation))}
${section('In the cool-down', cooldown(explanation))}
${section('What people wrote', notes(explanation))}
${section('Figures and raw data', files(explanation))}
</body></html>
`;
}

function standing({ entity, latest_version, previous }: Explanation): string {
  const now =
    latest_version === null
      ? 'It is the current value.'
      : `It is not the current value any more: that is version ${latest_version}.`;
  const before = previous ? ` It replaced ${versionLink(previous, valueText(previous))}.` : '';
  return `<p>Version ${entity.version}, valid since ${escaped(entity.valid_from)}${
    entity.valid_until === null ? '' : ` until ${escaped(entity.valid_until)}`
  }. ${escaped(now)}${before}</p>`;
}

function gates(explanation: Explanation): string {
  if (explanation.gates.length === 0) return quiet('It was given, not measured: no rule was asked.');
  return table(
    explanation.gates.map(({ rule, passed, detail }) => [
      rule,
      passed ? escaped(detail) : `<span class="bad">${escaped(detail)}</span>`,
    ]),
  );
}

function task({ entity, task: made, execution, activity, who, reason }: Explanation): string {
  const parameters = Object.entries(made?.run_parameters ?? {}).map(([name, parameter]) =>
    `${name} = ${String(parameter.value)} ${parameter.unit}`.trim(),
  );
  return table([
    ['task', escaped(`${entity.task_name} (${made?.status ?? activity?.status ?? 'unknown'})`)],
    ['said', made ? escaped(made.message) : null],
    ['task id', `<code>${escaped(entity.task_id)}</code>`],
    ['from', escaped(made?.start_at ?? activity?.started_at ?? '')],
    ['to', escaped(made?.end_at ?? activity?.ended_at ?? '')],
    ['with', parameters.map(escaped).join('<br>')],
    ['run', escaped(execution ? `${execution.name}, ${execution.execution_id}` : entity.execution_id)],
    ['backend', execution ? escaped(execution.backend) : null],
    ['started by', who ? escaped(who.username) : null],
    ['reason', reason ? escaped(reason) : null],
  ]);
}

function inputs(explanation: Explanation): string {
  if (explanation.inputs.length === 0) return quiet('None.');
  return table(
    explanation.inputs.map((input) => {
      const { origin } = input;
      const from = origin
        ? versionLink(origin, `version ${origin.version} by ${origin.task_name} in ${origin.execution_id}`)
        : escaped(input.source ?? 'unknown');
      return [input.name, `${escaped(valueText(input))}, from ${from}`];
    }),
  );
}

function cooldown({ cooldown: known }: Explanation): string {
  if (!known) return quiet('None is recorded.');
  const end = known.ended_at === null ? 'still active' : `ended ${known.ended_at}`;
  return table([
    ['cool-down', escaped(known.cooldown_id)],
    ['cryostat', escaped(known.cryo_id)],
    ['time', escaped(`began ${known.started_at}, ${end}`)],
    ['about it', escaped(known.description)],
  ]);
}

function notes({ notes: written }: Explanation): string {
  const noteText = (note: Explanation['notes']['task']) =>
    note && note.content !== ''
      ? `${escaped(note.content)} <span class="quiet">${escaped(note.updated_by)}</span>`
      : null;
  const rows = [
    ['task', noteText(written.task)] as const,
    ['target', noteText(written.target)] as const,
    ['metric', noteText(written.metric)] as const,
    ...written.comments.map(({ created_by, content }) => [`${created_by} says`, escaped(content)] as const),
  ].filter(([, html]) => html !== null);
  return rows.length === 0 ? quiet('Nothing.') : table(rows);
}

function files({ task: made }: Explanation): string {
  if (!made) return quiet('None.');
  const figures = made.figure_path.map(
    (path) =>
      `<p><img alt="${escaped(made.task_name)} of ${escaped(made.qid)}" src="../../executions/figure?path=${escaped(encodeURIComponent(path))}"></p>`,
  );
  const links = made.raw_data_path.map((path) => `<p>${fileLink('/files/raw-data', path)}</p>`);
  return [...figures, ...links].join('') || quiet('None.');
}

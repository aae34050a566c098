import { isObject } from '../plugins/json-schemas.ts';
import { type NamedSchemas, referredName } from './schemas.ts';

/** The depth below which an example leaves out optional fields. */
const FULL_DEPTH = 2;
/** The depth below which lists and maps are left empty. */
const MAX_DEPTH = 6;

const TIME = '2026-03-01T09:30:00.000Z';
const RUN_PAGE = 'https://lab.example/execution/64Q-1/20260301-001?project=8c4f4f1c2a9b4f0e9a4f7a3f5e1d2c3b';

/** Example texts by the name of the property; the first that its schema permits is used. */
const texts: Readonly<Record<string, readonly string[]>> = {
  access_token: ['eyJhbGciOiJIUzI1NiJ9.e30.signature'],
  allowed_tasks: ['CheckRabi'],
  backend: ['simulator'],
  backend_name: ['simulator'],
  chip_id: ['64Q-1'],
  code: ['session.run_stage()'],
  content: ['Retuned after the cool-down.'],
  comment: ['Checked after the cool-down.'],
  commit_message: ['Retuned qubit 12'],
  cooldown_id: ['cd-2026-03'],
  coupling_id: ['0-1'],
  cron: ['0 6 * * *'],
  cryo_id: ['fridge-1'],
  current_password: ['correct horse battery staple'],
  default_project_id: ['8c4f4f1c2a9b4f0e9a4f7a3f5e1d2c3b'],
  description: ['Checks every qubit of the chip.'],
  display_name: ['Ada Lovelace'],
  elapsed_time: ['0:00:42'],
  entity_id: ['qubit_frequency:12:20260301-001:CheckQubitFrequency'],
  execution_id: ['20260301-001'],
  flow_function_name: ['morning_check'],
  flow_name: ['morning_check'],
  flow_run_id: ['0195d2a0-4c1e-7000-8000-000000000001'],
  idempotency_key: ['measure-12-again'],
  manufacturer: ['Bluefors'],
  message: ['Done.'],
  model_name: ['gpt-4.1'],
  name: ['morning_check', 'morning-check', 'trace.json'],
  new_password: ['staple battery horse correct'],
  note: ['Retuned after the cool-down.'],
  otp: ['123456'],
  parameter_name: ['qubit_frequency'],
  password: ['correct horse battery staple'],
  project_id: ['8c4f4f1c2a9b4f0e9a4f7a3f5e1d2c3b'],
  qid: ['12'],
  qids: ['12'],
  qdash_ui_url: [RUN_PAGE],
  reason: ['Retuned after the cool-down.'],
  role: ['editor', 'user', 'control', 'owner'],
  scheduled_time: [TIME],
  service_ui_url: [RUN_PAGE],
  symptom: ['Two peaks'],
  tags: ['morning'],
  target_id: ['12'],
  task_id: ['3f2f9c1e7b5d4a8e'],
  task_name: ['CheckRabi'],
  timezone: ['Asia/Tokyo'],
  title: ['Frequency of qubit 12'],
  topology_id: ['square-lattice-mux-64'],
  token_type: ['bearer'],
  unit: ['GHz'],
  user_id: ['0195d2a0-4c1e-7000-8000-000000000002'],
  username: ['ada'],
  value_type: ['float'],
  version: ['1.0.0'],
};

/** Texts for schemas with a pattern that the name does not help with. */
const candidates = [
  'example',
  '12',
  '0-1',
  '#1f77b4',
  '20260301',
  'trace.json',
  'https://lab.example',
  '1.0.0',
] as const;

/** Example numbers by the name of the property. */
const numbers: Readonly<Record<string, number>> = {
  error: 0.00001,
  expires_in: 43_200,
  limit: 20,
  offset: 0,
  skip: 0,
  size: 64,
  total: 1,
  value: 5.123,
};

/** Example maps by the name of the property, of those whose values the schema leaves open. */
const maps: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  default_parameters: { qids: ['0', '1'] },
  default_run_parameters: { shots: 2048 },
  input: { qubit_frequency: 5.123 },
  input_parameter_overrides: { qubit_frequency: 5.123 },
  parameter_overrides: { qids: ['0', '1'] },
  parameters: { qids: ['0', '1'] },
  run: { shots: 2048 },
  run_parameter_overrides: { shots: 2048 },
};

/** Optional properties without an example: few requests have them, and one with a made-up value is refused. */
const leftOut = new Set(['otp', 'passkey', 'source_task_id', 'check', 'require_worker']);

/** Adds an example to every body and every successful answer of a document's operations. */
export function withExamples<Paths>(paths: Paths, schemas: Readonly<NamedSchemas>): Paths {
  const withExample = (contents: unknown): unknown =>
    isObject(contents)
      ? Object.fromEntries(
          Object.entries(contents).map(([type, content]) => {
            const isDescribed =
              isObject(content) && /json|form-urlencoded/.test(type) && !('example' in content);
            return [
              type,
              isDescribed ? { ...content, example: exampleOf(content['schema'], schemas) } : content,
            ];
          }),
        )
      : contents;
  return JSON.parse(JSON.stringify(paths), (key, value: unknown) => {
    if (!isObject(value)) return value;
    if (key === 'requestBody' && 'content' in value)
      return { ...value, content: withExample(value['content']) };
    if (!/^2\d\d$/.test(key) || !('description' in value) || !('content' in value)) return value;
    return { ...value, content: withExample(value['content']) };
  });
}

/** A value that a schema permits, with a realistic text if the property's name is known. */
export function exampleOf(given: unknown, schemas: Readonly<NamedSchemas>, name = '', depth = 0): unknown {
  const reference = referredName(given);
  if (reference !== undefined) return exampleOf(schemas[reference], schemas, name, depth);
  if (!isObject(given)) return null;
  const { const: only, enum: several, examples, anyOf, oneOf, type } = given;
  if (Array.isArray(examples) && examples.length > 0) return examples[0];
  if (only !== undefined) return only;
  if (Array.isArray(several)) {
    const known = Object.hasOwn(texts, name) ? (texts[name] ?? []) : ['completed'];
    return known.find((each) => several.includes(each)) ?? several[0];
  }
  const alternatives = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : [];
  if (alternatives.length > 0) return exampleOf(alternatives[0], schemas, name, depth);
  const first: unknown = Array.isArray(type) ? type.find((each) => each !== 'null') : type;
  switch (first) {
    case 'string':
      return exampleText(given, name);
    case 'integer':
    case 'number':
      return exampleNumber(given, name, first === 'integer');
    case 'boolean':
      return true;
    case 'array': {
      const { items, minItems } = given;
      if (isObject(items) && 'not' in items) return []; // takes no entry at all
      const count = Math.max(typeof minItems === 'number' ? minItems : 0, depth >= MAX_DEPTH ? 0 : 1);
      return Array.from({ length: count }, () => exampleOf(items, schemas, name, depth + 1));
    }
    case 'object':
      return exampleObject(given, schemas, name, depth);
    default:
      return first === 'null' ? null : 'example';
  }
}

function exampleObject(
  given: Record<string, unknown>,
  schemas: Readonly<NamedSchemas>,
  name: string,
  depth: number,
): Record<string, unknown> {
  const { properties, required, additionalProperties } = given;
  if (!isObject(properties)) {
    if (!isObject(additionalProperties) || depth >= MAX_DEPTH) return {};
    const isOpen = referredName(additionalProperties) === 'JsonValue';
    const known = isOpen && Object.hasOwn(maps, name) ? maps[name] : undefined;
    if (known) return { ...known };
    return { [keyFor(given, name)]: exampleOf(additionalProperties, schemas, '', depth + 1) };
  }
  const needed = new Set(Array.isArray(required) ? required : []);
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([each]) => needed.has(each) || (depth < FULL_DEPTH && !leftOut.has(each)))
      .map(([each, schema]) => [each, exampleOf(schema, schemas, each, depth + 1)]),
  );
}

/** A key of a map: the name of a parameter, or a target. */
function keyFor({ propertyNames }: Record<string, unknown>, name: string): string {
  if (isObject(propertyNames)) return String(exampleOf(propertyNames, {}, 'parameter_name'));
  return /parameter|metric|output|overrides|gates/.test(name) ? 'qubit_frequency' : '12';
}

function exampleText(schema: Record<string, unknown>, name: string): string {
  const { format, pattern, minLength, maxLength } = schema;
  if (format === 'date-time') return TIME;
  if (format === 'date') return TIME.slice(0, 10);
  if (format === 'uuid') return '0195d2a0-4c1e-7000-8000-000000000001';
  const matches = typeof pattern === 'string' ? new RegExp(pattern, 'u') : /^/;
  const isPermitted = (text: string) =>
    matches.test(text) &&
    text.length >= (typeof minLength === 'number' ? minLength : 0) &&
    text.length <= (typeof maxLength === 'number' ? maxLength : Number.POSITIVE_INFINITY);
  const known = Object.hasOwn(texts, name) ? (texts[name] ?? []) : [];
  const byName = /_at$|^at$|^deadline$/.test(name) ? [TIME] : [];
  return [...known, ...byName, ...candidates, ''].find(isPermitted) ?? 'example of sufficient length';
}

function exampleNumber(schema: Record<string, unknown>, name: string, isInteger: boolean): number {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const usual = (Object.hasOwn(numbers, name) ? numbers[name] : undefined) ?? 1;
  const least = Math.max(
    typeof minimum === 'number' ? minimum : Number.NEGATIVE_INFINITY,
    typeof exclusiveMinimum === 'number'
      ? exclusiveMinimum + (isInteger ? 1 : 0.001)
      : Number.NEGATIVE_INFINITY,
  );
  const most = Math.min(
    typeof maximum === 'number' ? maximum : Number.POSITIVE_INFINITY,
    typeof exclusiveMaximum === 'number'
      ? exclusiveMaximum - (isInteger ? 1 : 0.001)
      : Number.POSITIVE_INFINITY,
  );
  const bounded = Math.min(Math.max(usual, least), most);
  return isInteger ? Math.ceil(bounded) : bounded;
}

import { z } from 'zod';
import { wellFormed } from '../../shared/kernel/text.ts';
import { randomFrom } from '../../shared/science/device/random.ts';
import type { Call } from './harness.ts';
import { hostileBodies, hostileCode, hostileJson, hostileNumbers, hostileTexts } from './hostile-values.ts';

const parameter = z.looseObject({ name: z.string(), in: z.string(), schema: z.unknown().optional() });
const operation = z.looseObject({
  operationId: z.string(),
  parameters: z.array(parameter).default([]),
  requestBody: z
    .looseObject({ content: z.record(z.string(), z.looseObject({ schema: z.unknown().optional() })) })
    .optional(),
});
const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;
const paths = z.record(z.string(), z.partialRecord(z.enum(methods), operation));
const methodNames = { get: 'GET', post: 'POST', put: 'PUT', patch: 'PATCH', delete: 'DELETE' } as const;

/** What is read of a JSON schema to find values for it. */
const shape = z.looseObject({
  $ref: z.string().optional(),
  anyOf: z.array(z.unknown()).optional(),
  oneOf: z.array(z.unknown()).optional(),
  allOf: z.array(z.unknown()).optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  format: z.string().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  additionalProperties: z.unknown().optional(),
  items: z.unknown().optional(),
  minimum: z.number().optional(),
});

/** An operation of the API with all that a request for it needs. */
export interface Operation extends z.infer<typeof operation> {
  method: NonNullable<Call['method']>;
  path: string;
}

/** Every operation that a document describes. */
export function operationsOf(document: { paths?: unknown }): Operation[] {
  return Object.entries(paths.parse(document.paths)).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const found = item[method];
      return found ? [{ ...found, method: methodNames[method], path }] : [];
    }),
  );
}

export interface Choices {
  /** True so often. */
  chance(share: number): boolean;
  oneOf<Value>(values: readonly Value[]): Value;
}

/** Choices that come out the same for the same seed and words. */
export function choices(...seed: string[]): Choices {
  const [first = '', ...rest] = seed;
  const random = randomFrom(first, ...rest);
  const below = (limit: number) => Math.min(Math.floor(random.between(0, limit)), limit - 1);
  return {
    chance: (share) => random.between(0, 1) < share,
    oneOf(values) {
      const chosen = values[below(values.length)];
      if (chosen === undefined) throw new Error('there is nothing to choose from');
      return chosen;
    },
  };
}

/** Makes requests for operations of a document; `known` are names of things that there are. */
export function createRequests(document: object, known: Readonly<Record<string, readonly string[]>>) {
  function resolved(schema: unknown): z.infer<typeof shape> {
    const read = shape.safeParse(schema);
    if (!read.success) return shape.parse({});
    const { $ref } = read.data;
    if ($ref === undefined) return read.data;
    let target: unknown = document;
    for (const part of $ref.replace(/^#\//, '').split('/')) {
      target = typeof target === 'object' && target !== null ? Reflect.get(target, part) : undefined;
    }
    return resolved(target);
  }

  /** A value that a schema may take, wrong now and then. @param name of the property or parameter */
  function valueFor(choose: Choices, name: string, schema: unknown, level = 0): unknown {
    if (choose.chance(0.12)) return hostileValue(choose);
    const names = known[name];
    if (names && names.length > 0 && choose.chance(0.8)) return choose.oneOf(names);
    const wanted = resolved(schema);
    const { anyOf, oneOf, allOf, enum: values, const: only } = wanted;
    if (only !== undefined) return only;
    if (values) return choose.oneOf(values);
    const parts = anyOf ?? oneOf ?? allOf;
    if (parts && parts.length > 0) return valueFor(choose, name, choose.oneOf(parts), level);
    const type = [wanted.type ?? []].flat()[0] ?? (wanted.properties ? 'object' : 'string');
    if (type === 'object') return level > 6 ? {} : objectFor(choose, wanted, level);
    if (type === 'array') {
      const length = choose.oneOf([0, 1, 1, 2, 5]);
      return level > 6 ? [] : Array.from({ length }, () => valueFor(choose, name, wanted.items, level + 1));
    }
    if (type === 'integer' || type === 'number') {
      return choose.chance(0.6) ? (wanted.minimum ?? 1) : choose.oneOf(hostileNumbers);
    }
    if (type === 'boolean') return choose.chance(0.5);
    if (wanted.format === 'date-time') return '2026-01-02T03:04:05.000Z';
    if (name === 'code' && choose.chance(0.8)) return codeFor(choose);
    return choose.chance(0.5) ? 'plain' : choose.oneOf(hostileTexts);
  }

  function objectFor(
    choose: Choices,
    { properties, additionalProperties }: z.infer<typeof shape>,
    level: number,
  ) {
    const own = Object.entries(properties ?? {}).filter(() => choose.chance(0.85));
    const more = properties && additionalProperties !== undefined && choose.chance(0.9) ? [] : ['extra'];
    return Object.fromEntries([
      ...own.map(([name, schema]) => [name, valueFor(choose, name, schema, level + 1)]),
      ...more.map(() => [
        choose.oneOf(hostileTexts.slice(0, 25)),
        valueFor(choose, 'extra', additionalProperties, level + 1),
      ]),
    ]);
  }

  function textFor(choose: Choices, name: string, schema: unknown): string {
    const value = valueFor(choose, name, schema);
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
    // A half of a surrogate pair has no form in an address.
    return wellFormed(text.slice(0, 2000));
  }

  /** A request for an operation, such as a careless or a hostile client sends. */
  return function requestFor(
    choose: Choices,
    { method, path, parameters, requestBody }: Operation,
  ): [string, Call] {
    const isIn = (place: string) => parameters.filter((each) => each.in === place);
    const filled = path.replace(/\{([^}]+)\}/g, (_, name: string) => {
      const schema = isIn('path').find((each) => each.name === name)?.schema;
      return encodeURIComponent(textFor(choose, name, schema)).replace(/^\.+$/, '%2E') || 'x';
    });
    const asked = isIn('query').filter(() => choose.chance(0.7));
    const query = new URLSearchParams(
      asked.flatMap(({ name, schema }) =>
        (choose.chance(0.1) ? [1, 2] : [1]).map((): [string, string] => [
          name,
          textFor(choose, name, schema),
        ]),
      ),
    );
    const call: Call = { method, headers: {} };
    const [type] = Object.keys(requestBody?.content ?? {});
    if (type !== undefined && requestBody) {
      call.headers = { 'content-type': choose.chance(0.97) ? type : 'text/plain' };
      const content = valueFor(choose, '', requestBody.content[type]?.schema);
      call.text = choose.chance(0.1)
        ? choose.oneOf(hostileBodies)
        : type === 'application/json'
          ? JSON.stringify(content)
          : new URLSearchParams({ username: JSON.stringify(content), password: 'x' }).toString();
    }
    return [query.size > 0 ? `${filled}?${query}` : filled, call];
  };
}

function hostileValue(choose: Choices): unknown {
  return choose.oneOf([...hostileTexts, ...hostileNumbers, ...hostileJson]);
}

/** A flow with something hostile in it, at any place. */
export function codeFor(choose: Choices): string {
  const lines = [
    'export async function flow(session) {',
    "  await session.run({ name: 'Rabi', tasks: ['CheckRabi'], targets: session.targets.all() });",
    '}',
  ];
  const at = choose.oneOf([0, 1, 1, 1, 2, 3]);
  return [...lines.slice(0, at), choose.oneOf(hostileCode), ...lines.slice(at)].join('\n');
}

/** The bytes with a few of them changed, cut off or repeated. */
export function damaged(choose: Choices, bytes: Uint8Array): Buffer {
  const copy = Buffer.from(bytes);
  const places = Array.from({ length: copy.length }, (_, place) => place);
  for (let changed = 0; changed < 8; changed += 1) {
    copy[choose.oneOf(places)] = choose.oneOf([0, 1, 0x7f, 0x80, 0xff, choose.oneOf(places) % 256]);
  }
  return choose.chance(0.3) ? copy.subarray(0, choose.oneOf(places)) : copy;
}

import { z } from 'zod';
import { nearestName } from '../../shared/kernel/near-names.ts';
import { isObject } from './json-schemas.ts';
import { bareOf } from './optional-nulls.ts';

/** Names used in responses for fields that some requests call differently. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  task: ['task_name'],
  task_name: ['task'],
  run_parameters: ['run_parameter_overrides', 'run'],
  input_parameters: ['input_parameter_overrides', 'input'],
  parameters: ['parameter_overrides'],
  backend: ['backend_name'],
  backend_name: ['backend'],
  offset: ['skip'],
  skip: ['offset'],
};

/** Minimum number of letters of a name that can abbreviate another one. */
const SHORTEST_ABBREVIATION = 3;

/** Maximum number of names that a problem lists when none is close to the given one. */
const MAX_NAMES_LISTED = 20;

/** Whether a schema rejects unknown names. */
function refusesUnknown(schema: z.ZodType): schema is z.ZodObject {
  return schema instanceof z.ZodObject && schema.def.catchall instanceof z.ZodNever;
}

/** A part of a request with synonyms replaced by the names of its schema, if the schema rejects unknown names. */
export function withKnownNames(schema: z.ZodType, given: unknown): unknown {
  const bare = bareOf(schema);
  if (!refusesUnknown(bare) || !isObject(given)) return given;
  const { shape } = bare;
  const nameOf = (name: string): string => {
    if (Object.hasOwn(shape, name) || !Object.hasOwn(synonyms, name)) return name;
    const meant = synonyms[name]?.find((each) => Object.hasOwn(shape, each));
    return meant === undefined || Object.hasOwn(given, meant) ? name : meant;
  };
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const known = nameOf(name);
      const field: unknown = Object.hasOwn(shape, known) ? shape[known] : undefined;
      return [known, field instanceof z.ZodType ? withKnownNames(field, value) : value];
    }),
  );
}

/** Message for an unknown name at this path of a schema, with a suggestion of the intended name. */
export function unknownNameText(schema: z.ZodType, path: readonly PropertyKey[], name: string): string {
  const refused = 'Extra inputs are not permitted';
  const known = namesAt(schema, path);
  const nearest = nearestName(name, known) ?? abbreviated(name, known);
  if (nearest !== undefined) return `${refused}; did you mean ${nearest}?`;
  if (known.length === 0) return `${refused}; none are known here`;
  const more = known.length - MAX_NAMES_LISTED;
  return `${refused}; known are ${known.slice(0, MAX_NAMES_LISTED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** The shortest known name that contains all letters of `name` in order, as `parameters` contains those of `params`. */
function abbreviated(name: string, known: readonly string[]): string | undefined {
  if (name.length < SHORTEST_ABBREVIATION) return undefined;
  const byLength = [...known].sort((a, b) => a.length - b.length);
  return byLength.find((candidate) => {
    let at = 0;
    for (const letter of candidate) if (letter === name[at]) at += 1;
    return at === name.length;
  });
}

function namesAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let at: unknown = bareOf(schema);
  for (const part of path) {
    if (at instanceof z.ZodArray) at = at.element;
    else if (at instanceof z.ZodRecord) at = at.valueType;
    else if (at instanceof z.ZodObject)
      at = Object.hasOwn(at.shape, part) ? at.shape[String(part)] : undefined;
    else return [];
    if (at instanceof z.ZodType) at = bareOf(at);
  }
  return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
}

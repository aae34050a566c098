import { z } from 'zod';

const schema = z.looseObject({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  additionalProperties: z.unknown().optional(),
  items: z.unknown().optional(),
  anyOf: z.array(z.unknown()).optional(),
  oneOf: z.array(z.unknown()).optional(),
  allOf: z.array(z.unknown()).optional(),
});
const referred = z.object({ components: z.object({ schemas: z.record(z.string(), z.unknown()) }) });

/**
 * The fields of an answer in their order, as one line: `{a, b~, c?, d[], e{}}` has `a`, a `b` that may be null, a `c` that
 * may be left out, a list `d` and an object `e`. Objects within objects are written out; one with free keys is `{*}`.
 */
export function shapeOf(document: unknown, given: unknown): string {
  const { schemas } = referred.parse(document).components;

  function shape(of: unknown, open: readonly string[]): { text: string; nullable: boolean } {
    // A schema may be `true`.
    const read = schema.safeParse(of).data ?? {};
    if (read.$ref !== undefined) {
      const name = read.$ref.split('/').at(-1) ?? '';
      return open.includes(name) ? { text: '{…}', nullable: false } : shape(schemas[name], [...open, name]);
    }
    const choices = read.anyOf ?? read.oneOf ?? read.allOf;
    if (choices) {
      const read = choices.map((each) => shape(each, open));
      const texts = [...new Set(read.map(({ text }) => text).filter((text) => text !== 'null'))];
      return {
        text: texts.join(' or '),
        nullable: read.some(({ text, nullable }) => nullable || text === 'null'),
      };
    }
    const types = [read.type ?? []].flat();
    const nullable = types.includes('null') && types.length > 1;
    if (types.includes('array')) return { text: `${shape(read.items, open).text}[]`, nullable };
    if (types.includes('object')) return { text: fields(read, open), nullable };
    return { text: types.length === 1 && types[0] === 'null' ? 'null' : '', nullable };
  }

  function fields(
    { properties, required = [], additionalProperties }: z.infer<typeof schema>,
    open: readonly string[],
  ) {
    if (!properties) return additionalProperties ? `{*${shape(additionalProperties, open).text}}` : '{}';
    const written = Object.entries(properties).map(([name, of]) => {
      const { text, nullable } = shape(of, open);
      return `${name}${text}${nullable ? '~' : ''}${required.includes(name) ? '' : '?'}`;
    });
    return `{${written.join(', ')}}`;
  }

  return shape(given, []).text;
}

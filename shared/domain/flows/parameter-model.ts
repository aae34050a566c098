import { z } from 'zod';
import { jsonValue } from './model.ts';
import { FLOW_LIMITS } from './rules.ts';

/** Types of a flow's parameters; ids are strings or numbers, a pair is `'0-1'` or `[0, 1]`. */
const parameterType = z.enum([
  'number',
  'integer',
  'text',
  'boolean',
  'qubits',
  'muxes',
  'pairs',
  'qubit_groups',
  'pair_groups',
  'tasks',
  'attempts',
  'list',
  'any',
]);
export type ParameterType = z.infer<typeof parameterType>;

/** One parameter, as a flow declares it in `export const parameters = { … }`. */
export const parameterDeclaration = z
  .strictObject({
    type: parameterType,
    description: z.string().max(500).default(''),
    /** If true, a run without it is refused. */
    required: z.boolean().optional(),
    /** Required unless the parameter of this name is given. */
    required_unless: z.string().optional(),
    /** Another name of the parameter of this name, for clients that know only this one. Forms leave it out. */
    alias_of: z.string().optional(),
    default: jsonValue.optional(),
    /** Inclusive limits of a number. */
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    /** The allowed strings. */
    one_of: z.array(z.string().max(FLOW_LIMITS.choiceCharacters)).min(1).max(FLOW_LIMITS.choices).optional(),
  })
  .meta({ id: 'FlowParameter' });
export type ParameterDeclaration = z.infer<typeof parameterDeclaration>;

/** The declared parameters of a flow, by name. */
export const parameterDeclarations = z.record(
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/),
  parameterDeclaration,
);
export type ParameterDeclarations = z.infer<typeof parameterDeclarations>;

/** Parameters of a run: what a flow declares to take, and what it then finds in its session. */
declare module 'calibron' {
  export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

  /** Parameters of a flow that declares none, as given at its start over the flow's defaults. */
  export type Parameters = { [name: string]: JsonValue | undefined };

  /** Id of a qubit: `'3'` or `3`. */
  export type QubitId = string | number;

  /** A coupling with its direction, control first: `'0-1'` or `[0, 1]`. */
  export type Pair = string | readonly [control: QubitId, target: QubitId];

  /** What each type of parameter holds. */
  export interface ParameterTypes {
    number: number;
    /** A whole number. */
    integer: number;
    text: string;
    boolean: boolean;
    qubits: readonly QubitId[];
    /** Numbers of multiplexers. */
    muxes: readonly QubitId[];
    pairs: readonly Pair[];
    qubit_groups: readonly (readonly QubitId[])[];
    pair_groups: readonly (readonly Pair[])[];
    /** Names of tasks; a run with a name that no task has is refused. */
    tasks: readonly string[];
    /** Attempts of `session.retry`: run parameters, or `{ run_parameters, input_offsets }`. */
    attempts: readonly Attempt[];
    list: readonly JsonValue[];
    any: JsonValue;
  }

  /** One parameter. A run whose parameters do not fit is refused before it starts, naming all that is wrong. */
  export interface ParameterDeclaration {
    type: keyof ParameterTypes;
    /** Shown to the user who starts a run. */
    description?: string;
    /** A run without it is refused. */
    required?: boolean;
    /** Required unless the parameter of this name is given. */
    required_unless?: string;
    /**
     * Another name of the parameter of this name, for clients that know only this one. A flow finds the value under the name
     * itself, and forms leave the other name out.
     */
    alias_of?: string;
    /** Taken where a run gives none. */
    default?: unknown;
    /** Limits of a number, both allowed. */
    minimum?: number;
    maximum?: number;
    /** The texts that are allowed. */
    one_of?: readonly string[];
  }

  /**
   * What a flow takes, exported under the name `parameters` and written out (nothing in it is computed):
   *
   *     export const parameters = {
   *       mux_ids: { type: 'muxes', required: true, description: 'Multiplexers to calibrate' },
   *       threshold: { type: 'number', default: 0.9, minimum: 0, maximum: 1 },
   *     } as const satisfies ParameterDeclarations;
   */
  export type ParameterDeclarations = { [name: string]: ParameterDeclaration };

  type ValueOf<D extends ParameterDeclaration> = D extends { one_of: readonly (infer Choice)[] }
    ? Choice
    : ParameterTypes[D['type']];

  type AlwaysThere<D> = {
    [N in keyof D]: D[N] extends { required: true } | { default: unknown } ? N : never;
  }[keyof D];

  /** The values of declared parameters; what is neither required nor has a default may be undefined. */
  export type Declared<D extends ParameterDeclarations> = {
    [N in AlwaysThere<D>]: ValueOf<D[N]>;
  } & { [N in Exclude<keyof D, AlwaysThere<D>>]?: ValueOf<D[N]> };
}

import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import type { transformSync } from '@swc/wasm-typescript';
import { type Program, parse } from 'acorn';
import { z } from 'zod';
import { declaredParameters } from './declared-parameters.ts';
import { entryFunctionProblems } from './entry-function.ts';
import { noImportProblems } from './no-imports.ts';
import type { ParameterDeclarations } from './parameter-model.ts';
import type { FlowProblem } from './problem-model.ts';
import { FLOW_LIMITS } from './rules.ts';
import { taskNameProblems } from './task-names.ts';
import { missingAwaitProblems, topLevelAwaitProblems } from './waiting.ts';

export type FlowCheck =
  /** `parameters` are the declared parameters; null if the flow declares none. */
  | { ok: true; javascript: string; hash: string; parameters: ParameterDeclarations | null }
  | { ok: false; problems: [FlowProblem, ...FlowProblem[]] };

/**
 * Checks a flow before it is saved, without running it. Types are blanked in place, so `javascript` keeps the lines and columns
 * of `source`; `hash` is the SHA-256 of `source` and names the pinned version of a run.
 *
 * Rejected are: syntax errors, TypeScript beyond types (enum, namespace, parameter property), imports other than types, exports
 * other than exactly one async function named `functionName` and a statically readable declaration of parameters, task names
 * written in a `run({ tasks: [...] })` that `knownTasks` does not contain, awaits outside of the function, and calls that clearly
 * lack an await.
 */
export function checkFlow(source: string, functionName: string, knownTasks: readonly string[]): FlowCheck {
  const tooLong = sizeProblem(source);
  if (tooLong !== undefined) return { ok: false, problems: [tooLong] };

  try {
    return checkText(source, functionName, knownTasks);
  } catch (thrown) {
    // The recursive walk overflows the stack on deeply nested code.
    if (!(thrown instanceof RangeError)) throw thrown;
    return { ok: false, problems: [tooDeep] };
  }
}

const tooDeep: FlowProblem = { line: 1, message: 'the code is nested too deeply to be read' };

/** Maximum number of problems reported for a flow, and maximum length of each in characters. */
const MAX_PROBLEMS = 20;
const PROBLEM_CHARACTERS = 400;

function checkText(source: string, functionName: string, knownTasks: readonly string[]): FlowCheck {
  const stripped = stripTypes(source);
  if (typeof stripped !== 'string') return { ok: false, problems: [stripped] };
  const program = parseModule(stripped);
  if ('message' in program) return { ok: false, problems: [program] };

  const { declarations, problems } = declaredParameters(program, knownTasks);
  const [first, ...rest] = [
    ...problems,
    ...noImportProblems(program),
    ...entryFunctionProblems(program, functionName),
    ...topLevelAwaitProblems(program),
    ...missingAwaitProblems(program),
    ...taskNameProblems(program, knownTasks),
  ]
    .sort((a, b) => a.line - b.line)
    .slice(0, MAX_PROBLEMS)
    .map(({ line, message }) => ({ line, message: cut(message) }));
  if (first !== undefined) return { ok: false, problems: [first, ...rest] };
  const hash = createHash('sha256').update(source).digest('hex');
  return { ok: true, javascript: stripped, hash, parameters: declarations };
}

function cut(message: string): string {
  return message.length > PROBLEM_CHARACTERS ? `${message.slice(0, PROBLEM_CHARACTERS)}…` : message;
}

function sizeProblem(source: string): FlowProblem | undefined {
  const bytes = Buffer.byteLength(source);
  if (bytes <= FLOW_LIMITS.codeBytes) return undefined;
  const limit = FLOW_LIMITS.codeBytes / 1024;
  return { line: 1, message: `the flow has ${Math.ceil(bytes / 1024)} KB of code; ${limit} KB are allowed` };
}

const packages = createRequire(import.meta.url);
const SWC = '@swc/wasm-typescript';

/**
 * The loaded instance of swc. Code nested thousands of levels deep traps its WebAssembly, and the instance then fails for all
 * input. It is reloaded, so that one flow does not break others.
 */
let swc: { transformSync: typeof transformSync } | undefined;

/** swc throws a plain object for an error in the code, and an Error when it crashes. */
const stripFailure = z.object({ message: z.string(), startLine: z.number().optional() });

function stripTypes(source: string): string | FlowProblem {
  try {
    swc ??= packages(SWC);
    return (
      swc?.transformSync(source, { mode: 'strip-only', module: true, deprecatedTsModuleAsError: true })
        .code ?? ''
    );
  } catch (error) {
    if (error instanceof Error) {
      swc = undefined;
      delete packages.cache[packages.resolve(SWC)];
      return tooDeep;
    }
    const failure = stripFailure.safeParse(error);
    if (!failure.success) throw error;
    return { line: failure.data.startLine ?? 1, message: failure.data.message };
  }
}

const syntaxFailure = z.object({ message: z.string(), loc: z.object({ line: z.number() }) });

function parseModule(javascript: string): Program | FlowProblem {
  try {
    return parse(javascript, { ecmaVersion: 2023, sourceType: 'module', locations: true });
  } catch (error) {
    const failure = syntaxFailure.safeParse(error);
    if (!failure.success) throw error;
    return { line: failure.data.loc.line, message: failure.data.message.replace(/ \(\d+:\d+\)$/, '') };
  }
}

import { CalibronProblem, connect, type Schemas } from '../../packages/client/client.ts';

export {
  CalibronProblem,
  type ExecutionPart,
  type operations,
  type Schemas,
} from '../../packages/client/client.ts';

/** The address of the routes, with the session of the console. */
export const apiBase = new URL('api', document.baseURI).href;

export const { api, executionPart, signIn, useProject: chooseProject } = connect(apiBase);

/** The answer of a request, which is there: a client throws for every other status. */
export async function dataOf<Data>(request: Promise<{ data?: Data }>): Promise<Data> {
  const { data } = await request;
  if (data === undefined) throw new Error('The service answered without content.');
  return data;
}

/** What went wrong, as a message for users. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof CalibronProblem) return thrown.message;
  if (thrown instanceof TypeError)
    return 'The service cannot be reached. The page continues as soon as it answers.';
  return thrown instanceof Error ? thrown.message : String(thrown);
}

export function isProblem(thrown: unknown, code: string): boolean {
  return thrown instanceof CalibronProblem && thrown.code === code;
}

/** Whether the session is over, so that only a new sign-in helps. */
export function isSignedOut(thrown: unknown): boolean {
  return (
    thrown instanceof CalibronProblem &&
    (thrown.code === 'not_authenticated' || thrown.code === 'account_disabled')
  );
}

export type Metrics = Schemas['MetricsConfig'];
export type Metric = Schemas['ShownMetric'];
export type Parameter = Schemas['ParameterRecord'];
export type Execution = Schemas['Execution'];
export type ExecutionSummary = Schemas['ExecutionSummary'];
export type Topology = Schemas['TopologyDefinition'];

/** Address of a file of the calibration data as a figure description or a download. */
export const artifactUrl = (path: string) =>
  `${apiBase}/executions/artifact?${new URLSearchParams({ path })}`;

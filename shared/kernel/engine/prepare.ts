import { setTimeout as sleep } from 'node:timers/promises';
import { isGrpcServiceError } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import type { Logger } from '../log.ts';
import { searchAttributeNames } from './search-attributes.ts';
import { type Engine, isEngineUnavailable } from './temporal.ts';

/** Keyword in the engine's enumeration of search attribute types. */
const KEYWORD = 2;
const RETENTION = '30 days';

/** Milliseconds between attempts to reach an unavailable engine. */
const AWAY_INTERVAL = 1000;

const INVALID_ARGUMENT = 3;
const NOT_FOUND = 5;
const ALREADY_EXISTS = 6;
/** PERMISSION_DENIED, UNIMPLEMENTED and UNAUTHENTICATED: the cluster's administrators must prepare it. */
const DENIED = [7, 12, 16];

/** An administrator of the engine must act before the service can start. The message contains the command. */
export class EngineNotPrepared extends Error {
  override readonly name = 'EngineNotPrepared';
}

/**
 * Registers the namespace (retention 30 days) and the search attributes if they are missing. Without permission, it only
 * checks that they exist. Runs at every start, because a dev server with an existing database file ignores its flags.
 * @throws EngineNotPrepared if something is missing that this account may not create
 */
export async function prepareEngine(engine: Engine): Promise<void> {
  await prepareNamespace(engine);
  await retryUntilVisible(() => prepareSearchAttributes(engine));
}

/**
 * The same for a program that can work without the engine: if the engine is unavailable, it returns at once and prepares
 * the engine in the background as soon as it is available.
 * @param failed called with errors of the background preparation
 * @returns whether the engine is available
 * @throws EngineNotPrepared if the engine is available and something is missing
 */
export async function prepareEngineWhenThere(
  engine: Engine,
  { log, failed }: { log: Logger; failed(thrown: unknown): void },
): Promise<boolean> {
  const isThere = async () => {
    try {
      await prepareEngine(engine);
      return true;
    } catch (thrown) {
      if (!isEngineUnavailable(thrown)) throw thrown;
      return false;
    }
  };
  const lookAgain = async () => {
    while (!(await isThere())) await sleep(AWAY_INTERVAL, undefined, { ref: false });
    log.info('the engine is there');
  };
  if (await isThere()) return true;
  log.warn('the engine is away: what needs it is answered with 503 until it is there');
  lookAgain().catch(failed);
  return false;
}

async function prepareNamespace({ connection, namespace }: Engine): Promise<void> {
  try {
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: msToTs(RETENTION),
    });
    return;
  } catch (thrown) {
    if (hasCode(thrown, ALREADY_EXISTS)) return;
    if (!hasCode(thrown, ...DENIED)) throw thrown;
  }
  try {
    await connection.workflowService.describeNamespace({ namespace });
  } catch (thrown) {
    if (!hasCode(thrown, NOT_FOUND)) throw thrown;
    throw new EngineNotPrepared(
      `There is no namespace ${namespace}, and this account may not register it. An administrator can: ` +
        `temporal operator namespace create --namespace ${namespace} --retention 30d ` +
        '(Temporal Cloud: tcld namespace create)',
    );
  }
}

async function prepareSearchAttributes(engine: Engine): Promise<void> {
  const missing = await missingSearchAttributes(engine);
  if (missing.length === 0) return;
  const { connection, namespace } = engine;
  try {
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map((name) => [name, KEYWORD])),
    });
  } catch (thrown) {
    if (hasCode(thrown, ALREADY_EXISTS)) return;
    if (!hasCode(thrown, ...DENIED)) throw thrown;
    throw new EngineNotPrepared(
      `The namespace ${namespace} has no search attributes ${missing.join(', ')}, and this account may not add them. ` +
        `An administrator can: temporal operator search-attribute create --namespace ${namespace}` +
        `${missing.map((name) => ` --name ${name} --type Keyword`).join('')} ` +
        `(Temporal Cloud: tcld namespace search-attributes add --namespace ${namespace}` +
        `${missing.map((name) => ` --search-attribute ${name}=Keyword`).join('')})`,
    );
  }
}

async function missingSearchAttributes({ connection, namespace }: Engine): Promise<string[]> {
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    return searchAttributeNames.filter((name) => !(name in (customAttributes ?? {})));
  } catch (thrown) {
    if (!hasCode(thrown, ...DENIED)) throw thrown;
  }
  // An account that may read workflows may query by attribute; the engine refuses unknown attributes. The names are quoted
  // because Trigger is a keyword of the query language.
  const missing: string[] = [];
  for (const name of searchAttributeNames) {
    try {
      await connection.workflowService.countWorkflowExecutions({ namespace, query: `\`${name}\` = 'none'` });
    } catch (thrown) {
      if (!hasCode(thrown, INVALID_ARGUMENT)) throw thrown;
      missing.push(name);
    }
  }
  return missing;
}

function hasCode(thrown: unknown, ...codes: readonly number[]): boolean {
  return isGrpcServiceError(thrown) && codes.includes(thrown.code);
}

/** Retries, because other parts of the server do not know a newly registered namespace for some seconds. */
async function retryUntilVisible(step: () => Promise<void>): Promise<void> {
  const attempts = 40;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await step();
    } catch (thrown) {
      if (attempt >= attempts || thrown instanceof EngineNotPrepared) throw thrown;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
}

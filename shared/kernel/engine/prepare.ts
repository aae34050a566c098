import { setTimeout as sleep } from 'node:timers/promises';
import { isGrpcServiceError } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import type { Logger } from '../log.ts';
import { searchAttributeNames } from './search-attributes.ts';
import { type Engine, isEngineUnavailable } from './temporal.ts';

/** Keyword in the engine's enumeration of search attribute types. */
const KEYWORD = 2;
const RETENTION = '30 days';

/** Milliseconds between two looks for an engine that is away. */
const AWAY_INTERVAL = 1000;

const INVALID_ARGUMENT = 3;
const NOT_FOUND = 5;
const ALREADY_EXISTS = 6;
/** PERMISSION_DENIED, UNIMPLEMENTED and UNAUTHENTICATED: a cluster whose administrators prepare it themselves. */
const DENIED = [7, 12, 16];

/** What an administrator of the engine has to do before the service can start; its message holds the command. */
export class EngineNotPrepared extends Error {
  override readonly name = 'EngineNotPrepared';
}

/**
 * Registers the namespace (retention 30 days) and the search attributes where they are missing; where that is not
 * allowed, looks whether they are there. A dev server with an existing file ignores the flags it was started with, so
 * each start does it.
 * @throws EngineNotPrepared when something is missing that this account may not make
 */
export async function prepareEngine(engine: Engine): Promise<void> {
  await prepareNamespace(engine);
  await retryUntilVisible(() => prepareSearchAttributes(engine));
}

/**
 * The same for a program that is of use while the engine is away: it goes on at once, and the engine is prepared as soon
 * as it is there.
 * @param failed hears what is thrown then
 * @returns whether the engine is there
 * @throws EngineNotPrepared when the engine is there and something is missing
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
  // Whoever may read workflows may ask for those with an attribute, which is refused where it is unknown. Quoted: Trigger
  // is a word of the query language.
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

/** A namespace that was registered a moment ago is unknown to other parts of the server for some seconds. */
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

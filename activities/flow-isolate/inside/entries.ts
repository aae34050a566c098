import type { FlowDecisionEntry, FlowEntry } from '../../../shared/domain/flows/model.ts';
import type { PlannerSetup } from '../protocol.ts';
import { parse, shorten, show, toJson } from './values.ts';

export interface Entries {
  log(...parts: unknown[]): void;
  record(name: unknown, value: unknown): void;
  /** Keeps a decision of `session.maintain`. Decisions are numbered separately from messages and values. */
  decide(decision: Omit<FlowDecisionEntry, 'kind' | 'index'>): void;
  /** Entries since the previous command. */
  recent(): FlowEntry[];
  /** Called when a command is answered: later entries belong to the next command. */
  nextCommand(): void;
}

type Message = Extract<FlowEntry, { kind: 'log' }>;

/** Messages, recorded values and decisions of a flow, numbered throughout its run. */
export function createEntries(limits: PlannerSetup['limits']): Entries {
  let count = 0;
  let recorded = 0;
  let records: FlowEntry[] = [];
  let messages = createMessages(limits);
  const decisions = createDecisions(limits);

  function log(...parts: unknown[]): void {
    const message = shorten(parts.map(show).join(' '), limits.messageCharacters);
    messages.add({ kind: 'log', index: count, message });
    count += 1;
  }

  return {
    recent: () => [
      ...decisions.kept(),
      ...[...messages.kept(), ...records].sort((a, b) => a.index - b.index),
    ],
    nextCommand() {
      records = [];
      messages = createMessages(limits);
      decisions.nextCommand();
    },
    log,

    decide(decision) {
      if (decisions.add(decision) === 'full') log('Later decisions are not kept: there are too many.');
    },

    record(name, value) {
      if (typeof name !== 'string' || name === '' || name.length > 100) {
        throw new TypeError(
          `session.record: name must be a text of 1 to 100 characters, but got ${show(name)}`,
        );
      }
      if (recorded >= limits.records) {
        throw new RangeError(`session.record: a run records at most ${limits.records} values`);
      }
      const json = toJson(value, `session.record: the value "${name}"`, limits.valueBytes, limits.levels);
      records.push({ kind: 'record', index: count, name, value: parse(json) });
      count += 1;
      recorded += 1;
    },
  };
}

/** Decisions of `session.maintain` between two commands: the first ones up to the limits. */
function createDecisions({ decisions, decidedTargets, messageCharacters }: PlannerSetup['limits']) {
  let count = 0;
  let kept: FlowDecisionEntry[] = [];
  let targets = 0;
  let isFull = false;

  return {
    kept: (): readonly FlowEntry[] => kept,
    nextCommand() {
      [kept, targets, isFull] = [[], 0, false];
    },
    /** @returns `full` for the first decision beyond the limits */
    add({ reason, check, ...rest }: Omit<FlowDecisionEntry, 'kind' | 'index'>): 'full' | null {
      const wasFull = isFull;
      targets += rest.targets.length;
      isFull ||= kept.length >= decisions || targets > decidedTargets;
      if (isFull) return wasFull ? null : 'full';
      const short = (text: string) => shorten(text, messageCharacters);
      kept.push({
        kind: 'decision',
        index: count,
        ...rest,
        reason: short(reason),
        check: check && { ...check, reason: check.reason === null ? null : short(check.reason) },
      });
      count += 1;
      return null;
    },
  };
}

/** Messages between two commands: the first ones up to half of the limits, and the newest ones up to the other half. */
function createMessages({ messages, messagesCharacters }: PlannerSetup['limits']) {
  const first: Message[] = [];
  const newest: Message[] = [];
  /** The first `dropped` of `newest` are left out. They are removed from time to time. */
  let dropped = 0;
  let gap: { index: number; count: number } | null = null;
  let firstCharacters = 0;
  let newestCharacters = 0;
  let isFirstFull = false;

  function add(message: Message): void {
    const { length } = message.message;
    isFirstFull ||= first.length >= messages / 2 || firstCharacters + length > messagesCharacters / 2;
    if (!isFirstFull) {
      first.push(message);
      firstCharacters += length;
      return;
    }
    newest.push(message);
    newestCharacters += length;
    while (newest.length - dropped > messages / 2 || newestCharacters > messagesCharacters / 2) dropOldest();
    if (dropped > messages) {
      newest.splice(0, dropped);
      dropped = 0;
    }
  }

  function dropOldest(): void {
    const oldest = newest[dropped];
    if (oldest === undefined) return;
    dropped += 1;
    newestCharacters -= oldest.message.length;
    gap = { index: gap?.index ?? oldest.index, count: (gap?.count ?? 0) + 1 };
  }

  return {
    add,
    kept(): Message[] {
      const note: Message[] = gap
        ? [
            {
              kind: 'log',
              index: gap.index,
              message: `${gap.count} messages are left out here: a flow logged too many without a command between them`,
            },
          ]
        : [];
      return [...first, ...note, ...newest.slice(dropped)];
    },
  };
}

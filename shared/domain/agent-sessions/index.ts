import { defineArea, type Kernel } from '../../kernel/area.ts';
import type { Backends } from '../backends/index.ts';
import type { Chips } from '../chips/index.ts';
import type { Configuration } from '../configuration/index.ts';
import type { Executions } from '../executions/index.ts';
import type { ProvenanceStore } from '../provenance/index.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { Runs } from '../runs/index.ts';
import { createActions } from './actions.ts';
import { createApplySteps } from './apply-steps.ts';
import { createApplyTurn, turnIndexes } from './apply-turn.ts';
import { createApplying } from './applying.ts';
import { createCandidates } from './candidates.ts';
import { createCarryOut } from './carrying-out.ts';
import { createCommits } from './commits.ts';
import { createDispatch } from './dispatch.ts';
import { createLedger } from './ledger.ts';
import { createSessions } from './sessions.ts';
import type { AgentSessionSettings } from './settings.ts';
import { agentIndexes, createAgentStore } from './store.ts';

export { ApplyOver } from './apply-steps.ts';

export type AgentSessions = ReturnType<typeof agentSessions.create>;

/** Sessions of users' agents. An agent proposes within a policy, is audited, and commits only what passes the gates. */
export const agentSessions = defineArea({
  name: 'agentSessions',
  indexes: [...agentIndexes, turnIndexes],
  create({
    db,
    engine,
    settings,
    configuration,
    chips,
    results,
    provenance,
    executions,
    runs,
    backends,
  }: Kernel<AgentSessionSettings> & {
    configuration: Configuration;
    chips: Chips;
    results: TaskResultStore;
    provenance: ProvenanceStore;
    executions: Executions;
    runs: Runs;
    backends: Pick<Backends, 'tasksOf'>;
  }) {
    const store = createAgentStore(db);
    const { state } = chips;
    const carryOut = createCarryOut({ store, state, provenance, results, timezone: settings.TIMEZONE });
    const ledger = createLedger(store, carryOut);
    const dispatch = createDispatch({ store, ledger, runs });
    const actions = createActions({ store, ledger, dispatch, settings });
    const { tasksOf } = backends;
    const candidates = createCandidates({ ledger, actions, dispatch, results, tasksOf });
    const commits = createCommits({
      store,
      ledger,
      candidates,
      state,
      execution: executions.store.get,
      settings,
    });
    const turn = createApplyTurn(db, engine);
    return {
      sessions: createSessions({ store, ledger, chips, settings }),
      actions,
      execute: dispatch.execute,
      candidates: candidates.list,
      commits,
      /** Writes commits to the backend's files. */
      applying: createApplying({ store, ledger, commits, state, engine }),
      /** The steps of an apply, for its workflow. */
      applySteps: createApplySteps({ store, chips, configuration, turn }),
    };
  },
});

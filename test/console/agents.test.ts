import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { browserPath } from '../support/browser.ts';
import { type ConsolePages, openConsolePages } from '../support/console-pages.ts';
import { eventually } from '../support/laboratory.ts';
import { agentPolicy } from '../support/stored-results.ts';

const CHIP = 'A16';
const proposed = z.object({ action_id: z.string(), execution_status: z.string() });

describe.skipIf(browserPath() === undefined)('what agents propose', () => {
  let pages: ConsolePages;
  let project: string;
  let session: string;

  beforeAll(async () => {
    pages = await openConsolePages();
    const { api } = pages;
    project = await api.newProject(CHIP, ['0']);
    const opened = await api.ask('/agent-sessions', {
      chip_id: CHIP,
      policy: { ...agentPolicy, qids: ['0'], max_actions: 5 },
      model_name: 'scripted',
    });
    session = z.object({ session_id: z.string() }).parse(await opened.json()).session_id;
    const propose = async (key: string, version: number, qid: string) =>
      proposed.parse(
        await (
          await api.ask(`/agent-sessions/${session}/actions`, {
            idempotency_key: key,
            expected_state_version: version,
            action_type: 'run_task',
            task_name: 'CheckT1',
            qids: [qid],
            diagnosis: 'T1 is old.',
          })
        ).json(),
      ).action_id;
    const measured = await propose('first', 0, '0');
    await api.ask(`/agent-sessions/${session}/actions/${measured}/execute`, {});
    await eventually(async () => {
      const answer = await api.ask(`/agent-sessions/${session}/actions/${measured}`);
      const { execution_status } = proposed.parse(await answer.json());
      return execution_status === 'completed';
    }, 40_000);
    await propose('second', 1, '7');
  });
  afterAll(() => pages?.close());

  test('where no agent has acted, the page says what to do first', async ({ onTestFailed }) => {
    const none = await pages.api.newProject(CHIP, ['0']);
    const { page, context } = await pages.enter(`agents?project=${none}`);
    onTestFailed(() => pages.tellOfFailure(page));
    await page.getByText(`No agent has acted on ${CHIP}`).waitFor();
    const guide = page.getByRole('link', { name: 'guide to agents' });
    expect(await guide.getAttribute('href')).toBe(`${pages.api.base}/docs/guide/agents.html`);
    await pages.look(page, 'agents-none');
    await page.getByRole('link', { name: 'Create a token for it' }).click();
    await page.getByRole('heading', { name: /token/i }).first().waitFor();
    await context.close();
    expect(pages.faults).toEqual([]);
  });

  test('a person sees policy, budget and audit trail of an agent, and commits what it found', async ({
    onTestFailed,
  }) => {
    const { page, context } = await pages.enter(`agents?project=${project}`);
    onTestFailed(() => pages.tellOfFailure(page));
    await page.getByRole('heading', { name: /of 5 actions used/ }).waitFor();
    const [done, refused] = [
      page.getByRole('article').filter({ hasText: 'CheckT1 on 0' }),
      page.getByRole('article').filter({ hasText: 'CheckT1 on 7' }),
    ];
    await refused.getByText('rejected', { exact: true }).waitFor();
    await done.getByText('passes', { exact: true }).waitFor();
    await pages.look(page, 'agents');
    await done.getByRole('button', { name: 'Commit t1 of 0' }).click();
    await done.getByText(/is the calibration state now/).waitFor();
    // What is committed cannot be committed again: the service would refuse it.
    await done.getByRole('cell', { name: 'committed', exact: true }).waitFor();
    expect(await done.getByRole('button', { name: /^Commit/ }).count()).toBe(0);
    const commits = page.getByRole('region', { name: 'Commits' });
    await commits
      .getByRole('row')
      .filter({ hasText: 't1' })
      .getByText('committed', { exact: true })
      .waitFor();
    await pages.look(page, 'agents-commits');
    await page.getByRole('button', { name: 'End the session' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'End the session' }).click();
    await page.getByRole('status').filter({ hasText: 'cancelled' }).waitFor();
    expect(await page.getByRole('button', { name: /Commit|End/ }).count()).toBe(0);
    await context.close();
    expect(pages.faults).toEqual([]);
  });
});

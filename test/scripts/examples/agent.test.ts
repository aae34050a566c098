import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accessTokenOf } from '../../../scripts/demo/access-token.ts';
import { createClient } from '../../../scripts/demo/client.ts';
import { runAgent } from '../../../scripts/examples/agent.ts';
import { packageRoot } from '../../../shared/kernel/package-root.ts';
import type { RunningWorkers } from '../../../workers/workers.ts';
import { administrator } from '../../support/common-laboratory.ts';
import { type Laboratory, openLaboratory } from '../../support/laboratory.ts';
import { type LaboratoryApi, openLaboratoryApi } from '../../support/laboratory-api.ts';
import { startOwnWorkers } from '../../support/own-workers.ts';

let lab: Laboratory;
let workers: RunningWorkers;
let api: LaboratoryApi;
beforeAll(async () => {
  // Of its own, since its configuration becomes a repository.
  lab = await openLaboratory({
    ADMIN_USERNAME: administrator.username,
    ADMIN_PASSWORD: administrator.password,
  });
  await lab.areas.administration.createFirst();
  workers = await startOwnWorkers(lab);
  api = await openLaboratoryApi(lab);
});
afterAll(async () => {
  await api.close();
  await workers.stop();
  await lab.close();
});

test('the example shows an agent from its session to the files of the backend, refused twice on its way', async () => {
  const config = lab.settings.CONFIG_PATH;
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=lab', '-c', 'user.email=lab@example.org', ...args], {
      cwd: config,
      encoding: 'utf8',
    }).trim();
  const frequencies = 'data:\n  Q00: 9 # by hand\n  Q01: 10.5\n';
  const projectId = await api.newProject('A16', ['0']);
  const params = join(config, projectId, 'A16/params');
  await mkdir(params, { recursive: true });
  await writeFile(join(params, 'readout_frequency.yaml'), frequencies);
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '-m', 'As it was');
  const client = createClient(api.base, await accessTokenOf(api.base, administrator));

  const said: string[] = [];
  const commits = await runAgent(client, {
    address: api.base,
    projectId,
    chipId: 'A16',
    qid: '0',
    push: false,
    say: (line) => void said.push(line),
  });

  expect(commits.map(({ parameter_name }) => parameter_name)).toEqual([
    'readout_frequency',
    'readout_amplitude',
  ]);
  const [frequency, amplitude] = commits;
  const file = await readFile(join(params, 'readout_frequency.yaml'), 'utf8');
  expect(file).toBe(frequencies.replace('Q00: 9 #', `Q00: ${frequency?.value} #`));
  expect(git('rev-parse', 'main')).toBe(amplitude?.backend_git_commit);
  expect(git('rev-list', '--count', 'main')).toBe('3');
  const text = said.join('\n');
  expect(text).toContain(
    "Refused: The session's policy does not allow the task CheckT1. (1 of 3 actions, version 2)",
  );
  expect(text).toMatch(/Refused: readout_amplitude is 0\.9; .* at most 0\.3\. \(1 of 3 actions, version 3\)/);
  expect(text).toMatch(/4\. CheckOptimalReadoutAmplitude +authorized, execution \d{8}-\d{3} completed in 0:/);
  expect(text).toContain(`/actions (X-Project-Id: ${projectId})`);
});

test('the command tells how it is called, and how to sign in', () => {
  const main = fileURLToPath(new URL('scripts/examples/main.ts', packageRoot));
  const { CALIBRON_TOKEN: _token, CALIBRON_USERNAME: _username, ...env } = process.env;
  const run =
    (...args: string[]) =>
    () =>
      execFileSync(process.execPath, ['--import', 'tsx', main, ...args], {
        env,
        stdio: 'pipe',
        cwd: packageRoot,
      });
  expect(run('robot')).toThrow(/Usage: npm run example -- agent/);
  expect(run('agent')).toThrow(/Set CALIBRON_TOKEN/);
});

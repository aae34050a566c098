import { execFileSync } from 'node:child_process';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { applyCommit, type CandidateCommit } from '../../shared/domain/agent-sessions/commit-model.ts';
import { applyWorkflowId } from '../../shared/domain/agent-sessions/workflow-model.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { workflowBundle } from '../../workers/bundle.ts';
import type { RunningWorkers } from '../../workers/workers.ts';
import { historyOf, replay } from '../support/histories.ts';
import { userNamed } from '../support/ids.ts';
import { eventually, type LabChip, type Laboratory, openLaboratory } from '../support/laboratory.ts';
import { startOwnWorkers } from '../support/own-workers.ts';
import { committedT1 } from './committed-candidate.ts';

const id = newId();
const user = { _id: userNamed(id), user_id: userNamed(id), username: 'ada', isOwner: true };
const OLD = '# By hand\nmeta: { unit: us }\ndata:\n  Q00: 40 # old\n  Q01: 41\n';
const NEW = OLD.replace('40', '51.5');

/** Of the parameter file, within the configuration. */
let PATH: string;
let lab: Laboratory;
let place: LabChip;
let workers: RunningWorkers;
/** What happens to activities of these names in turn, before or after each is carried out. */
let interruptions: { activity: string; before?: () => Promise<void>; after?: () => Promise<void> }[] = [];
let bare: string;
let config: string;
let runs = 0;

const interceptor: ActivityInterceptorsFactory = ({ info }) => ({
  inbound: {
    async execute(input, next) {
      const hit = interruptions[0]?.activity === info.activityType ? interruptions.shift() : undefined;
      await hit?.before?.();
      const answer = await next(input);
      await hit?.after?.();
      return answer;
    },
  },
});

beforeAll(async () => {
  lab = await openLaboratory();
  config = lab.settings.CONFIG_PATH;
  place = await lab.newProject({ blank: true });
  PATH = `${place.projectId}/CHIP/params/t1.yaml`;
  workers = await startOwnWorkers(lab, interceptor);
});
afterAll(async () => {
  await workers.stop();
  await lab.close();
});

const author = ['-c', 'user.name=colleague', '-c', 'user.email=colleague@example.org'];
const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', [...author, ...args], { cwd, encoding: 'utf8', stdio: 'pipe' }).trim();
const fileText = () => readFile(join(config, PATH), 'utf8');

/** A configuration with one parameter file, in a repository with a bare one behind it. */
beforeEach(async () => {
  interruptions = [];
  runs += 1;
  bare = join(lab.directory, `bare-${runs}.git`);
  execFileSync('rm', ['-rf', config]);
  await mkdir(join(config, place.projectId, 'CHIP/params'), { recursive: true });
  await writeFile(join(config, PATH), OLD);
  git(lab.directory, 'init', '--quiet', '--bare', '--initial-branch=main', bare);
  git(config, 'init', '--quiet', '--initial-branch=main');
  git(config, 'add', '--all');
  git(config, 'commit', '--quiet', '-m', 'As it was');
  git(config, 'remote', 'add', 'origin', bare);
  git(config, 'push', '--quiet', 'origin', 'main');
});

const committed = (qid = '0') => committedT1(lab, place.projectId, user, qid);

const apply = ({ session_id, commit_id }: CandidateCommit, fields: Record<string, unknown> = {}) =>
  lab.areas.agentSessions.applying.apply(
    [place.projectId, session_id, commit_id],
    user,
    applyCommit.parse({
      idempotency_key: 'apply',
      expected_state_version: 2,
      push_to_remote: true,
      ...fields,
    }),
  );

const lookedAt = ({ session_id, commit_id }: CandidateCommit) =>
  lab.areas.agentSessions.applying.read(place.projectId, session_id, commit_id);

/** The commit when its apply has ended. */
const ended = (commit: CandidateCommit, timeout?: number) =>
  eventually(async () => {
    const now = await lookedAt(commit);
    return ['applied', 'failed'].includes(now.backend_status) ? now : null;
  }, timeout);

/** The contents of the directory, its repository and the bare one. */
const versions = async () => ({
  text: await fileText(),
  local: git(config, 'rev-parse', 'main'),
  remote: git(bare, 'rev-parse', 'main'),
  changes: git(config, 'status', '--porcelain'),
});

describe('an apply', () => {
  test('changes one value of the file, in a commit of that file only, and pushes it when asked', async () => {
    await writeFile(join(config, 'notes.yaml'), 'a: 1\n');
    const base = git(config, 'rev-parse', 'main');
    const commit = await committed();
    expect(await apply(commit)).toMatchObject({
      backend_status: expect.stringMatching(/queued|applying|applied/),
    });
    const done = await ended(commit);
    const head = git(config, 'rev-parse', 'main');
    expect(done).toMatchObject({
      backend_status: 'applied',
      backend_name: 'simulator',
      backend_target_files: [PATH],
      backend_changed_files: [PATH],
      backend_verified: true,
      backend_base_git_commit: base,
      backend_git_commit: head,
      backend_error: '',
      backend_applied_at: expect.stringMatching(/Z$/),
    });
    expect(await versions()).toEqual({ text: NEW, local: head, remote: head, changes: '?? notes.yaml' });
    expect(git(config, 'show', '--name-only', '--format=%an%n%s', 'main')).toBe(
      `ada\nSet t1 of Q00 on CHIP to 51.5 us\n\n${PATH}`,
    );
    expect(await apply(commit)).toEqual(done);
    await expect(apply(commit, { idempotency_key: 'again' })).rejects.toMatchObject({ code: 'conflict' });
    const histories = await historyOf(lab, 'candidate-apply', applyWorkflowId(commit.commit_id));
    expect(await replay({ codePath: await workflowBundle(lab.cache) }, histories)).toEqual([]);
  });

  test('takes over first what a colleague has pushed', async () => {
    const colleague = join(lab.directory, `colleague-${runs}`);
    git(lab.directory, 'clone', '--quiet', bare, colleague);
    await writeFile(join(colleague, PATH), OLD.replace('Q01: 41', 'Q01: 99'));
    git(colleague, 'commit', '--quiet', '--all', '-m', 'Better Q01');
    git(colleague, 'push', '--quiet');
    const commit = await committed();
    await apply(commit);
    expect(await ended(commit)).toMatchObject({ backend_status: 'applied' });
    expect(await fileText()).toBe(NEW.replace('Q01: 41', 'Q01: 99'));
  });

  test('without a repository changes the file, and says that there is no version of it', async () => {
    execFileSync('rm', ['-rf', join(config, '.git')]);
    const commit = await committed();
    await apply(commit, { push_to_remote: false });
    expect(await ended(commit)).toMatchObject({
      backend_status: 'applied',
      backend_git_commit: null,
      backend_base_git_commit: null,
    });
    expect(await fileText()).toBe(NEW);
  });

  test('leaves the file of a chip with the same name in another project unchanged, also the one of earlier versions', async () => {
    const other = await lab.newProject({ blank: true });
    const foreign = [`${other.projectId}/CHIP/params/t1.yaml`, 'CHIP/params/t1.yaml'];
    for (const path of foreign) {
      await mkdir(join(config, path, '..'), { recursive: true });
      await writeFile(join(config, path), OLD);
    }
    const commit = await committed();
    await apply(commit);
    expect(await ended(commit)).toMatchObject({ backend_status: 'applied', backend_changed_files: [PATH] });
    expect(await fileText()).toBe(NEW);
    for (const path of foreign) expect(await readFile(join(config, path), 'utf8')).toBe(OLD);
  });

  test('waits for another one, so that neither loses the value of the other', async () => {
    const [first, second] = [await committed('0'), await committed('1')];
    await Promise.all([apply(first), apply(second)]);
    expect(await ended(first)).toMatchObject({ backend_status: 'applied' });
    expect(await ended(second)).toMatchObject({ backend_status: 'applied' });
    expect(await fileText()).toBe(NEW.replace('Q01: 41', 'Q01: 51.5'));
    expect(git(bare, 'rev-list', '--count', 'main')).toBe('3');
  });
});

describe('a worker that dies', () => {
  const steps = ['beginApply', 'pullForApply', 'writeApply', 'versionApply', 'finishApply'];
  for (const activity of steps) {
    test(`before and after ${activity} leaves the old file or the new one, and the apply ends well`, async () => {
      const commit = await committed();
      const found: string[] = [];
      const die = async () => {
        found.push(await fileText());
        throw new Error('the worker died');
      };
      interruptions = [
        { activity, before: die },
        { activity, after: die },
      ];
      await apply(commit);
      expect(await ended(commit)).toMatchObject({ backend_status: 'applied', backend_verified: true });
      await eventually(async () => found.length === 2);
      expect(found.filter((text) => text !== OLD && text !== NEW)).toEqual([]);
      const head = git(config, 'rev-parse', 'main');
      expect(await versions()).toEqual({ text: NEW, local: head, remote: head, changes: '' });
      expect(git(bare, 'rev-list', '--count', 'main')).toBe('2');
    });
  }
});

test('a worker process that is killed while it pushes leaves an apply that another one ends, with one commit', async () => {
  // The remote repository holds the push up until it may go on.
  const [pushing, goOn] = [join(bare, 'pushing'), join(bare, 'go-on')];
  const hook = `#!/bin/sh\n: > '${pushing}'\nwhile [ ! -e '${goOn}' ]; do sleep 0.1; done\n`;
  await writeFile(join(bare, 'hooks/pre-receive'), hook, { mode: 0o755 });
  await workers.stop();
  const killed = await lab.startWorker({ WORKER_QUEUES: 'calibration' });
  const commit = await committed();
  await apply(commit);
  const isThere = (path: string) =>
    access(path).then(
      () => true,
      () => false,
    );
  await eventually(() => isThere(pushing), 60_000);
  await killed.kill();
  expect(await fileText()).toBe(NEW);
  // Its git goes on without it, as it does where a process alone is killed.
  await writeFile(goOn, '');
  workers = await startOwnWorkers(lab, interceptor);
  // The engine notices after a heartbeat time-out.
  expect(await ended(commit, 150_000)).toMatchObject({ backend_status: 'applied', backend_verified: true });
  const head = git(config, 'rev-parse', 'main');
  expect(await versions()).toEqual({ text: NEW, local: head, remote: head, changes: '' });
  expect(git(bare, 'rev-list', '--count', 'main')).toBe('2');
}, 240_000);

describe('the file becomes what it was, and no version is made, when', () => {
  async function failing(): Promise<CandidateCommit> {
    const before = await versions();
    const commit = await committed();
    await apply(commit);
    const failed = await ended(commit);
    expect(failed).toMatchObject({
      backend_status: 'failed',
      backend_verified: false,
      backend_changed_files: [],
    });
    expect(await versions()).toMatchObject({ text: before.text, local: before.local, changes: '' });
    return failed;
  }

  test('the remote repository gets a commit of somebody else in between; a new apply then succeeds', async () => {
    const colleague = join(lab.directory, `colleague-${runs}`);
    git(lab.directory, 'clone', '--quiet', bare, colleague);
    interruptions = [
      {
        activity: 'versionApply',
        before: async () => {
          git(colleague, 'commit', '--quiet', '--allow-empty', '-m', 'Faster');
          git(colleague, 'push', '--quiet');
        },
      },
    ];
    const failed = await failing();
    expect(failed.backend_error).toContain('The remote repository refuses the commit');
    expect(await apply(failed)).toMatchObject({ backend_status: 'failed' });
    await apply(failed, { idempotency_key: 'again' });
    expect(await ended(failed)).toMatchObject({ backend_status: 'applied' });
    expect(await fileText()).toBe(NEW);
  });

  test('the value has changed since', async () => {
    interruptions = [
      {
        activity: 'writeApply',
        before: async () => {
          await lab.areas.calibrations.edits.edit(place.projectId, user, {
            chip_id: 'CHIP',
            qid: '0',
            parameters: { t1: 30 },
            reason: '',
          });
        },
      },
    ];
    expect((await failing()).backend_error).toContain("another value by now than this commit's");
  });

  test('the file is in another unit', async () => {
    await writeFile(join(config, PATH), OLD.replace('unit: us', 'unit: ns'));
    git(config, 'commit', '--quiet', '--all', '-m', 'Nanoseconds');
    git(config, 'push', '--quiet', 'origin', 'main');
    expect((await failing()).backend_error).toBe('params/t1.yaml is in ns, the value in us.');
  });

  test('somebody else writes it meanwhile: then what they wrote stays', async () => {
    const mine = OLD.replace('41', '77');
    interruptions = [{ activity: 'versionApply', before: () => writeFile(join(config, PATH), mine) }];
    const commit = await committed();
    await apply(commit);
    const done = await ended(commit);
    expect(done).toMatchObject({
      backend_status: 'failed',
      backend_error: expect.stringContaining('what they wrote stays'),
    });
    expect(await fileText()).toBe(mine);
    expect(git(bare, 'rev-list', '--count', 'main')).toBe('1');
  });

  test('it was terminated; the next apply goes on from there', async () => {
    const commit = await committed();
    interruptions = [
      {
        activity: 'versionApply',
        before: async () => {
          await lab.engine.client.workflow.getHandle(applyWorkflowId(commit.commit_id)).terminate('test');
          throw new Error('nobody waits for this');
        },
      },
    ];
    await apply(commit);
    expect(await ended(commit)).toMatchObject({
      backend_status: 'failed',
      backend_error: expect.stringContaining('cut off'),
    });
    await apply(commit, { idempotency_key: 'again' });
    expect(await ended(commit)).toMatchObject({ backend_status: 'applied' });
    const head = git(config, 'rev-parse', 'main');
    expect(await versions()).toEqual({ text: NEW, local: head, remote: head, changes: '' });
  });
});

describe('a new apply while the one that failed is about to close', () => {
  /** A commit whose apply is told to have failed, and what lets its workflow close. */
  async function closing(): Promise<[CandidateCommit, close: () => void]> {
    let close = () => {};
    const closes = new Promise<void>((resolve) => {
      close = resolve;
    });
    await writeFile(join(config, PATH), OLD.replace('unit: us', 'unit: ns'));
    interruptions = [{ activity: 'failApply', after: () => closes }];
    const commit = await committed();
    await apply(commit, { push_to_remote: false });
    const failed = await ended(commit);
    expect(failed).toMatchObject({ backend_status: 'failed' });
    await writeFile(join(config, PATH), OLD);
    return [failed, () => close()];
  }
  const again = { idempotency_key: 'again', push_to_remote: false };

  test('begins when that has closed', async () => {
    const [failed, close] = await closing();
    const asked = apply(failed, again);
    await eventually(async () => (await lookedAt(failed)).backend_status === 'dispatching');
    close();
    expect((await asked).backend_status).not.toBe('failed');
    expect(await ended(failed)).toMatchObject({ backend_status: 'applied' });
    expect(await fileText()).toBe(NEW);
  });

  test('is refused after some seconds, and may be requested again as it was', async () => {
    const [failed, close] = await closing();
    await expect(apply(failed, again)).rejects.toMatchObject({ code: 'conflict' });
    expect(await lookedAt(failed)).toEqual(failed);
    close();
    await apply(failed, again);
    expect(await ended(failed)).toMatchObject({ backend_status: 'applied' });
  });
});

test('what cannot be applied is refused before anything is begun', async () => {
  const commit = await committed();
  await expect(apply(commit, { expected_state_version: 1 })).rejects.toMatchObject({ code: 'stale_version' });
  await lab.areas.calibrations.edits.edit(place.projectId, user, {
    chip_id: 'CHIP',
    qid: '0',
    parameters: { t1: 31 },
    reason: '',
  });
  await expect(apply(commit)).rejects.toMatchObject({ code: 'value_changed' });
  expect(await fileText()).toBe(OLD);
});

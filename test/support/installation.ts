import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { eventually } from './laboratory.ts';

/** A tiny service that reports the version with which it was started. */
const SERVICE = `import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
const state = process.argv[2];
const version = readFileSync('VERSION', 'utf8');
const broken = version.includes('sick');
const server = createServer((request, reply) => reply.writeHead(broken ? 503 : 200).end(version));
server.listen(0, '127.0.0.1', () => {
  writeFileSync(join(state, 'service.json'), JSON.stringify({ pid: process.pid, port: server.address().port }));
});
`;

/** What each of its commands begins with: a test may hold it, and counts how often it was begun. */
const COMMAND = `import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
const [state, name] = process.argv.slice(2);
const file = join(state, 'service.json');
const step = process.env.UPDATE_STEP;
appendFileSync(join(state, 'begun'), step + '\\n');
const stop = () => { try { process.kill(JSON.parse(readFileSync(file, 'utf8')).pid, 'SIGKILL'); } catch {} rmSync(file, { force: true }); };
while (existsSync(join(state, 'hold ' + step.replace('/', ' ')))) await wait(20);
const version = readFileSync('VERSION', 'utf8');
if (name === 'stop') stop();
if (name === 'deploy') {
  console.log('deploying ' + version.trim() + ' with the token ' + process.env.LAB_TOKEN);
  if (version.includes('unbuildable')) { console.error('the build failed'); process.exit(3); }
  stop();
  spawn(process.execPath, ['service.mjs', state], { detached: true, stdio: 'ignore' }).unref();
}
if (name === 'health') {
  if (existsSync(join(state, 'ill'))) process.exit(2);
  const { port } = JSON.parse(readFileSync(file, 'utf8'));
  const answer = await fetch('http://127.0.0.1:' + port);
  if (!answer.ok || (await answer.text()) !== version) { console.error('answers ' + answer.status); process.exit(1); }
}
`;

/** A git before the real one that a test may hold as well. */
const HELD_GIT = (real: string) => `#!/bin/sh
step=
case "$*" in
  *" fetch "*) step=preflight;;
  *" merge "*|*" reset "*) step=forward;;
esac
if [ -n "$step" ] && [ -n "$GIT_STATE" ]; then
  echo "git $step" >> "$GIT_STATE/begun"
  while [ -e "$GIT_STATE/hold git $step" ]; do sleep 0.02; done
fi
exec ${real} "$@"
`;

/** Properties of a release, from its file VERSION. */
export type Nature = 'fine' | 'unbuildable' | 'sick';

export interface Release {
  version: string;
  nature?: Nature;
  /** Null for none. */
  manifest?: Record<string, unknown> | null;
  /** Private SSH key that signs the tag. */
  signingKey?: string;
}

const signedOff = { automatic_update: true, migration_mode: 'compose' };

export type Installation = ReturnType<typeof makeInstallation>;

/** A tiny service with a git remote of its releases, of which the first is installed in a working tree. */
export function makeInstallation(releases: readonly Release[]) {
  const directory = mkdtempSync(join(tmpdir(), 'calibron-installation-'));
  const [remote, author, tree, state, bin] = ['remote.git', 'author', 'tree', 'state', 'bin'].map((name) =>
    join(directory, name),
  ) as [string, string, string, string, string];
  mkdirSync(state);
  mkdirSync(bin);
  const real = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
  writeFileSync(join(bin, 'git'), HELD_GIT(real), { mode: 0o755 });

  function git(cwd: string, ...args: string[]): string {
    const identity = ['-c', 'user.name=ada', '-c', 'user.email=ada@example.org', '-c', 'tag.gpgSign=false'];
    return execFileSync(real, [...identity, '-c', 'init.defaultBranch=main', ...args], {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  }

  function publish({ version, nature = 'fine', manifest = signedOff, signingKey }: Release): void {
    writeFileSync(join(author, 'VERSION'), `${version} ${nature}\n`);
    writeFileSync(join(author, 'service.mjs'), SERVICE);
    writeFileSync(join(author, 'command.mjs'), COMMAND);
    if (manifest) writeFileSync(join(author, 'update-manifest.json'), JSON.stringify(manifest));
    else rmSync(join(author, 'update-manifest.json'), { force: true });
    git(author, 'add', '--all');
    git(author, 'commit', '--quiet', '--message', version);
    const sign = signingKey ? ['-c', 'gpg.format=ssh', '-c', `user.signingKey=${signingKey}`] : [];
    git(author, ...sign, 'tag', signingKey ? '--sign' : '--annotate', '--message', version, version);
    git(author, 'push', '--quiet', 'origin', 'main', version);
  }

  git(directory, 'init', '--quiet', '--bare', remote);
  git(directory, 'clone', '--quiet', remote, author);
  git(author, 'checkout', '--quiet', '-B', 'main');
  const [first, ...rest] = releases;
  if (!first) throw new Error('an installation has a release');
  publish(first);
  git(directory, 'clone', '--quiet', '--branch', 'main', remote, tree);
  for (const release of rest) publish(release);

  /** Signs off what is not on main. */
  function publishBeside(release: Release): void {
    git(author, 'checkout', '--quiet', '-b', 'beside');
    writeFileSync(join(author, 'VERSION'), release.version);
    git(author, 'commit', '--quiet', '--all', '--message', release.version);
    git(author, 'tag', release.version);
    git(author, 'push', '--quiet', 'origin', release.version);
    git(author, 'checkout', '--quiet', 'main');
  }

  /** Gives the tag of a version the name of another one. */
  function publishAs(version: string, name: string): void {
    git(author, 'push', '--quiet', 'origin', `refs/tags/${version}:refs/tags/${name}`);
  }

  const command = (name: string) => JSON.stringify([process.execPath, 'command.mjs', state, name]);
  const holdFile = (step: string) => join(state, `hold ${step.replace('/', ' ')}`);
  const begun = () =>
    existsSync(join(state, 'begun')) ? readFileSync(join(state, 'begun'), 'utf8').trim().split('\n') : [];

  return {
    tree,
    publish,
    publishBeside,
    publishAs,
    git: (...args: string[]) => git(tree, ...args),

    /** Settings of its updater. */
    settings: {
      SYSTEM_UPDATES: 'on',
      UPDATE_REPOSITORY: tree,
      UPDATE_STOP_COMMAND: command('stop'),
      UPDATE_DEPLOY_COMMAND: command('deploy'),
      UPDATE_HEALTH_COMMAND: command('health'),
      UPDATE_HEALTH_SECONDS: '3',
      UPDATE_CHECK_SECONDS: '0',
    },
    /** Its environment beyond them. */
    environment: { PATH: `${bin}:${process.env['PATH']}`, GIT_STATE: state, LAB_TOKEN: 'very-secret-token' },

    /** Holds a step, such as `deploying` or `git preflight`, when it begins; release lets it go on. */
    hold(step: string): void {
      writeFileSync(holdFile(step), '');
    },
    release(step: string): void {
      rmSync(holdFile(step));
    },
    /** The steps that were begun, in order. */
    begun,
    /** Makes every version of the service unhealthy from now on. */
    fallIll: () => writeFileSync(join(state, 'ill'), ''),
    /** Notes which steps have begun by now. @returns waits until a step has begun since */
    watch() {
      const before = begun().length;
      return (step: string) => eventually(async () => begun().slice(before).includes(step));
    },

    /** What the service that runs answers. */
    async served(): Promise<string> {
      const { port } = JSON.parse(readFileSync(join(state, 'service.json'), 'utf8'));
      const answer = await fetch(`http://127.0.0.1:${port}`);
      return `${answer.status} ${(await answer.text()).trim()}`;
    },

    close(): void {
      const file = join(state, 'service.json');
      if (existsSync(file)) {
        try {
          process.kill(JSON.parse(readFileSync(file, 'utf8')).pid, 'SIGKILL');
        } catch {
          // it has ended
        }
      }
      rmSync(dirname(tree), { recursive: true, force: true });
    },
  };
}

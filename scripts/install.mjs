// Plain JavaScript, because it runs before dependencies are installed.
import { execFileSync, spawn } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** File with the pid of the installing process, so that it can be stopped. There is no other record of it yet. */
const MARK = join(ROOT, '.installing');

const STOP_PATIENCE_MS = 10_000;

/**
 * Installs the dependencies if `node_modules` is missing or does not match package-lock.json. Never changes
 * the lock file. Throws if npm fails.
 */
export async function installDependencies() {
  if (isInstalled()) {
    return;
  }
  writeFileSync(MARK, String(process.pid));
  try {
    await install();
  } finally {
    if (marked() === process.pid) {
      rmSync(MARK, { force: true });
    }
  }
}

/** Stops an `npm start` that is installing packages here. Returns its pid, or null if there is none. */
export async function stopInstallation() {
  const pid = installer();
  if (pid === null) {
    return null;
  }
  process.kill(pid, 'SIGTERM');
  for (const deadline = Date.now() + STOP_PATIENCE_MS; installer() === pid; await sleep(50)) {
    if (Date.now() > deadline) {
      process.kill(pid, 'SIGKILL');
    }
  }
  rmSync(MARK, { force: true });
  return pid;
}

function marked() {
  try {
    return Number(readFileSync(MARK, 'utf8'));
  } catch {
    return null;
  }
}

/** Pid of the start that is installing packages here. A killed one may have left its file, and its pid may be reused. */
function installer() {
  const pid = marked();
  if (pid === null) {
    return null;
  }
  try {
    const command = execFileSync('ps', ['-ww', '-o', 'stat=,command=', '-p', String(pid)], {
      encoding: 'utf8',
    });
    return /^[^Z].*\bstart\.mjs\b/.test(command.trim()) ? pid : null;
  } catch {
    return null; // there is no such process
  }
}

async function install() {
  if (hasCache(process.env)) {
    return installWith(process.env);
  }
  const cache = mkdtempSync(join(tmpdir(), 'calibron-npm-'));
  process.on('exit', () => rmSync(cache, { recursive: true, force: true }));
  return installWith({ ...process.env, npm_config_cache: cache });
}

/** Whether npm can write to its cache, which is in the home directory unless `npm_config_cache` names another one. */
function hasCache(environment) {
  try {
    const directory = environment.npm_config_cache ?? join(homedir(), '.npm');
    mkdirSync(directory, { recursive: true });
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false; // such as for a user without a home directory, or with one that is read-only
  }
}

async function installWith(environment) {
  if (existsSync(join(ROOT, 'package-lock.json'))) {
    console.log('installing dependencies with npm ci');
    const refusal = await npm(['ci', '--include=dev'], environment);
    if (refusal === null) {
      return;
    }
    // npm ci rejects a lock file created with a registry that lacks optional packages of other platforms
    console.log(
      `npm ci refused (${refusal}); npm install takes the same versions and leaves the lock file alone`,
    );
  }
  const failure = await npm(['install', '--include=dev', '--no-save'], environment);
  if (failure !== null) {
    throw new Error(`npm install failed: ${failure}`);
  }
}

/** Whether each package of the lock file is installed in its version. Packages for other platforms may be missing. */
function isInstalled() {
  const installed = packagesIn(join(ROOT, 'node_modules', '.package-lock.json'));
  if (installed === null) {
    return false;
  }
  const wanted = packagesIn(join(ROOT, 'package-lock.json')) ?? {};
  return Object.entries(wanted).every(([path, { version, optional, devOptional }]) => {
    const found = installed[path];
    return path === '' || (found ? found.version === version : Boolean(optional || devOptional));
  });
}

function packagesIn(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages ?? null;
  } catch {
    return null;
  }
}

/** Runs npm. Returns null on success, otherwise its first error message. */
function npm(args, env) {
  // A signal that ends this process ends npm as well. The handlers come first: a signal may arrive as soon as npm runs.
  const stop = () => {
    child.kill('SIGTERM');
    process.exit(130);
  };
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'];
  for (const signal of signals) {
    process.on(signal, stop);
  }
  const child = spawn('npm', [...args, '--no-audit', '--no-fund'], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'inherit', 'pipe'],
    shell: process.platform === 'win32',
  });
  const errors = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (line.startsWith('npm error')) {
      errors.push(line.slice('npm error'.length).trim());
    } else {
      console.error(line);
    }
  });
  return new Promise((resolve) => {
    child.on('close', () => {
      for (const signal of signals) {
        process.off(signal, stop);
      }
    });
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code) => {
      const complaint = errors.find((line) => line.length > 0 && !line.startsWith('code '));
      resolve(code === 0 ? null : (complaint?.split('. ')[0] ?? `npm ended with code ${code}`));
    });
  });
}

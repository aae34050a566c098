// Plain JavaScript: runs before there are dependencies.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Names the process that installs, for whoever wants to stop it: there is no other record of it yet. */
const MARK = join(ROOT, '.installing');

const STOP_PATIENCE_MS = 10_000;

/**
 * Installs the dependencies if `node_modules` is missing or is not what package-lock.json asks for. Never changes
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

/** Stops an `npm start` that installs packages here. Returns its pid, null when none does. */
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

/** The start that installs packages here; one that was killed may have left its mark, and its number to another. */
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
  if (existsSync(join(ROOT, 'package-lock.json'))) {
    console.log('installing dependencies with npm ci');
    const refusal = await npm(['ci', '--include=dev']);
    if (refusal === null) {
      return;
    }
    // npm ci refuses a lock file written where the registry lacks optional packages of other platforms
    console.log(
      `npm ci refused (${refusal}); npm install takes the same versions and leaves the lock file alone`,
    );
  }
  const failure = await npm(['install', '--include=dev', '--no-save']);
  if (failure !== null) {
    throw new Error(`npm install failed: ${failure}`);
  }
}

/** Whether each package of the lock file is there in its version; those for other platforms may be missing. */
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

/** Runs npm; null, or its first complaint. */
function npm(args) {
  const child = spawn('npm', [...args, '--no-audit', '--no-fund'], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'pipe'],
    shell: process.platform === 'win32',
  });
  // Whoever ends this process ends npm with it.
  const stop = () => {
    child.kill('SIGTERM');
    process.exit(130);
  };
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'];
  for (const signal of signals) {
    process.on(signal, stop);
  }
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

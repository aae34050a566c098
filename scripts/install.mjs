// Plain JavaScript: runs before there are dependencies.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Installs the dependencies if `node_modules` is missing or is not what package-lock.json asks for, showing npm's
 * progress. Never changes the lock file. Throws if npm fails.
 */
export async function installDependencies() {
  if (isInstalled()) {
    return;
  }
  const locked = existsSync(join(ROOT, 'package-lock.json'));
  console.log(`installing dependencies with npm ${locked ? 'ci' : 'install'}`);
  const command = locked ? ['ci'] : ['install', '--no-package-lock'];
  await run('npm', [...command, '--include=dev', '--no-audit', '--no-fund']);
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

function run(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: ROOT,
      stdio: 'inherit',
      shell: process.platform === 'win32',
    });
    child.on('error', reject);
    child.on('exit', (code) => {
      if (code === 0) {
        resolve(undefined);
      } else {
        reject(new Error(`${command} ${args[0]} ended with code ${code}`));
      }
    });
  });
}

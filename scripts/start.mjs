// Plain JavaScript, because it runs before dependencies are installed. Arguments: npm start -- --help
import { isCompiled } from './compiled.mjs';
import { installDependencies, ROOT, stopInstallation } from './install.mjs';

const OLDEST_NODE = [20, 19];

async function main() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])) {
    console.error(
      `Calibron needs Node.js ${OLDEST_NODE.join('.')} or later; this is ${process.versions.node}.`,
    );
    return 1;
  }
  if (process.argv.includes('--stop')) {
    const pid = await stopInstallation();
    if (pid !== null) {
      console.log(`stopped the npm start of pid ${pid}, which was installing packages`);
      return 0;
    }
  }
  try {
    await installDependencies();
  } catch (error) {
    console.error(`The packages could not be installed: ${error instanceof Error ? error.message : error}.`);
    return 1;
  }
  const { start } = await loadStart();
  return start(process.argv.slice(2));
}

/** Loads the start into this process, so that it receives the terminal's signals directly. */
async function loadStart() {
  // Loading the compiled files saves two seconds of processor time.
  if (isCompiled(ROOT)) return import('../dist/scripts/start/main.js');
  const { register } = await import('tsx/esm/api');
  register();
  return import('./start/main.ts');
}

const code = await main();
// Exit explicitly, because connections may still be open, but only after the output has been flushed.
process.stdout.write('', () => process.exit(code));

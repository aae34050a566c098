// Plain JavaScript: runs before there are dependencies. Arguments: npm start -- --help
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

/** In this very process: there is nobody between the terminal and the one who handles its signals. */
async function loadStart() {
  // What is compiled is there two seconds of a core sooner.
  if (isCompiled(ROOT)) return import('../dist/scripts/start/main.js');
  const { register } = await import('tsx/esm/api');
  register();
  return import('./start/main.ts');
}

const code = await main();
// Connections may still be open; what was written has to get out first.
process.stdout.write('', () => process.exit(code));

/** `npm run check-store -- mongodb://…`: checks that a server meets Calibron's requirements, and prints what to fix. */
import { readSettings } from '../../shared/domain/settings.ts';
import { connectDatabase } from '../../shared/kernel/database.ts';
import { messageOf } from '../../shared/kernel/errors.ts';
import { SettingsError } from '../../shared/kernel/secret-files.ts';
import { checkStore, type Finding } from './check.ts';

const USAGE = 'Usage: npm run check-store -- mongodb://...   (default: MONGODB_URI)';

const MARKS: Record<Finding['kind'], string> = { ok: 'ok      ', warning: 'warning ', problem: 'FIX     ' };

async function main(): Promise<number> {
  if (process.argv.includes('--help')) {
    console.log(USAGE);
    return 0;
  }
  const [given, ...more] = process.argv.slice(2);
  const address = given ?? process.env['MONGODB_URI'];
  if (!address || more.length > 0 || !/^mongodb(?:\+srv)?:\/\//.test(address)) {
    console.error(USAGE);
    return 2;
  }
  // The address itself is checked with the rest, so that all problems are listed.
  const { MONGODB_DATABASE: name } = readSettings({ ...process.env, MONGODB_URI: '' });
  const database = await connectDatabase(address, name);
  try {
    const findings = await checkStore(database, address, ({ title, kind, message }) =>
      console.log(`${MARKS[kind]}${title}: ${message}`),
    );
    const problems = findings.filter(({ kind }) => kind === 'problem').length;
    const warnings = findings.filter(({ kind }) => kind === 'warning').length;
    console.log(`\n${problems} to fix, ${warnings} warnings`);
    return problems > 0 ? 1 : 0;
  } finally {
    await database.close();
  }
}

process.exitCode = await main().catch((thrown: unknown) => {
  const problems =
    thrown instanceof SettingsError
      ? thrown.problems
      : [`The server cannot be checked: ${messageOf(thrown)}`];
  for (const problem of problems) console.error(problem);
  return 1;
});

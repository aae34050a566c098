import { readSettings } from '../shared/domain/settings.ts';
import { connectDatabase, isStoreUnavailable } from '../shared/kernel/database.ts';
import { MarkNotWritable } from '../shared/kernel/engine/installation-mark.ts';
import { EngineNotPrepared, prepareEngine } from '../shared/kernel/engine/prepare.ts';
import { connectEngine, engineAccess, isEngineUnavailable } from '../shared/kernel/engine/temporal.ts';
import { messageOf } from '../shared/kernel/errors.ts';
import { adopt, adoptableParts, NotAdopted } from '../shared/kernel/installation/adopt.ts';
import { SettingsError } from '../shared/kernel/secret-files.ts';

const USAGE = `Say what was restored, replaced or moved on purpose:

  npm run adopt -- temporal   this Temporal namespace belongs to the store's installation from now on
  npm run adopt -- store      this store belongs to the installation of the Temporal namespace from now on
  npm run adopt -- data       this calibration data root belongs to the store's installation from now on
`;

/** Exit code of wrong use. */
const WRONG_USE = 2;

/** Makes the named part belong to the installation of the others. */
async function main(): Promise<void> {
  const part = adoptableParts.find((each) => each === process.argv[2]);
  if (part === undefined || process.argv.length > 3) {
    process.stderr.write(USAGE);
    process.exitCode = WRONG_USE;
    return;
  }
  const settings = readSettings(process.env);
  const database = await connectDatabase(settings.MONGODB_URI, settings.MONGODB_DATABASE);
  const engine = connectEngine(await engineAccess(settings));
  try {
    if (part !== 'data') await prepareEngine(engine);
    const parts = { database, engine, address: settings.TEMPORAL_ADDRESS };
    console.log(await adopt(part, parts, settings.CALIB_DATA_PATH));
  } finally {
    await Promise.all([engine.close(), database.close()]);
  }
}

/** The message if an operator can fix the problem, otherwise the whole error. */
function reasonOf(thrown: unknown): unknown {
  const expected = [SettingsError, EngineNotPrepared, NotAdopted, MarkNotWritable];
  if (thrown instanceof Error && expected.some((each) => thrown instanceof each)) return thrown.message;
  if (isEngineUnavailable(thrown)) return `Temporal cannot be reached: ${messageOf(thrown)}`;
  if (isStoreUnavailable(thrown)) return `The store cannot be reached: ${messageOf(thrown)}`;
  return thrown;
}

main().catch((thrown: unknown) => {
  console.error(reasonOf(thrown));
  process.exitCode = 1;
});

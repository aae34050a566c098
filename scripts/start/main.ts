import { unknownSettingMessages } from '../../shared/domain/setting-names.ts';
import { readSettings, type Settings } from '../../shared/domain/settings.ts';
import { messageOf } from '../../shared/kernel/errors.ts';
import { SettingsError } from '../../shared/kernel/secret-files.ts';
import { readArguments } from './arguments.ts';
import { dataDirectoryAt } from './data-directory.ts';
import { helpText } from './help.ts';
import { createScreen } from './screen.ts';
import { AlreadyRunning, runAfterStopping } from './single-instance.ts';
import { stopGrace, stopPatience } from './stop-grace.ts';
import { stopAll } from './stopping.ts';

/** Exit codes for wrong use, and for every other failure. */
const WRONG_USE = 2;
const FAILED = 1;

/** Runs `npm start`. @returns the exit code, after everything has been stopped */
export async function start(given: readonly string[]): Promise<number> {
  // A closed output pipe (npm start | head) must not end this process.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  const asked = readArguments(given);
  if (asked.kind === 'wrong') return fail([asked.message], WRONG_USE);
  if (asked.kind === 'help') {
    process.stdout.write(helpText(process.stdout.columns ?? 100));
    return 0;
  }
  let settings: Settings;
  try {
    settings = readSettings(process.env);
  } catch (thrown) {
    return fail(thrown instanceof SettingsError ? thrown.problems : [messageOf(thrown)], FAILED);
  }
  for (const message of unknownSettingMessages(process.env, settings)) process.stderr.write(`${message}\n`);
  try {
    if (asked.kind === 'stop') return await stopAnother(settings);
    // Loading it takes a second or two, so help and stop do not load it.
    const { run } = await import('./run.ts');
    return await run(settings, asked, screenNow());
  } catch (thrown) {
    const message =
      thrown instanceof AlreadyRunning ? thrown.message : `Calibron cannot start: ${messageOf(thrown)}`;
    return fail([message], FAILED);
  }
}

/** Stops an `npm start` of another shell, and processes left by a killed one. */
async function stopAnother(settings: Settings): Promise<number> {
  const directory = dataDirectoryAt(settings.DATA_DIR);
  const screen = screenNow();
  const { result: left, stoppedStart } = await runAfterStopping(
    directory,
    { report: screen.line, patience: stopPatience(settings) },
    () => stopAll(directory, stopGrace(settings)),
  );
  const what = left > 0 ? `stopped ${left} processes` : 'stopped';
  screen.line(
    left > 0 || stoppedStart ? `${what}; the data stays in ${directory.root}` : 'nothing runs here',
  );
  return 0;
}

function screenNow() {
  return createScreen(process.stdout);
}

function fail(problems: readonly string[], code: number): number {
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  return code;
}

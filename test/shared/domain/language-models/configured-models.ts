import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { imageProcessing } from '../../../../shared/domain/image-processing/index.ts';
import { type LanguageModels, languageModels } from '../../../../shared/domain/language-models/index.ts';
import { readSettings } from '../../../../shared/domain/settings.ts';
import { CalibronError } from '../../../../shared/kernel/errors.ts';
import { createLog } from '../../../../shared/kernel/log.ts';

/** Its idle processes do not keep the tests from ending. */
const processing = imageProcessing.create({});

/** The area over a `copilot.yaml`, which it writes. */
export async function modelsOver(of: {
  directory: string;
  file: string;
  /** The setting AI_ENDPOINTS. */
  endpoints: string;
  onLog?: (line: string) => void;
}): Promise<LanguageModels> {
  const { directory, file, endpoints, onLog = () => undefined } = of;
  await writeFile(join(directory, 'copilot.yaml'), file);
  const destination = new Writable({
    write(chunk, _encoding, done) {
      onLog(String(chunk));
      done();
    },
  });
  return languageModels.create({
    settings: readSettings({ CONFIG_PATH: directory, AI_ENDPOINTS: endpoints }),
    log: createLog('test', 'TRACE', destination),
    imageProcessing: processing,
    configuration: { follow: <Content>(_file: unknown, read: () => Promise<Content>) => read },
  });
}

/** Why a question was refused. */
export async function failureOf(asked: Promise<unknown>): Promise<CalibronError> {
  const thrown = await asked.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(thrown instanceof CalibronError)) throw new Error(`not refused: ${String(thrown)}`);
  return thrown;
}

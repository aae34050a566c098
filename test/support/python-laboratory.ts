import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { administrator } from './common-laboratory.ts';
import { type Laboratory, openLaboratory } from './laboratory.ts';
import { type LaboratoryApi, openLaboratoryApi } from './laboratory-api.ts';
import { pythonFolder } from './python-package.ts';

/** A laboratory with the API and a project, whose own instrument is served by the Python package. */
export interface PythonLaboratory {
  lab: Laboratory;
  api: LaboratoryApi;
  project: string;
  /** For programs in Python: where the package, the service and Temporal are, and who asks. */
  environment(): Record<string, string | undefined>;
  close(): Promise<void>;
}

/**
 * @param interpreter Python with what the package needs; the package itself is taken from its sources
 * @param qids qubits of chip A16 with start values
 */
export async function openPythonLaboratory(
  interpreter: string,
  qids: readonly string[] = ['0', '1'],
): Promise<PythonLaboratory> {
  const lab = await openLaboratory({
    BACKEND_LOOK_INTERVAL: '1',
    ADMIN_USERNAME: administrator.username,
    ADMIN_PASSWORD: administrator.password,
  });
  await lab.areas.administration.createFirst();
  await mkdir(lab.settings.CONFIG_PATH, { recursive: true });
  const backends = { simulator: {}, 'fridge-1': {}, idle: {} };
  await writeFile(join(lab.settings.CONFIG_PATH, 'backends.json'), JSON.stringify({ backends }));
  await lab.startWorker();
  const api = await openLaboratoryApi(lab);
  const project = await api.newProject('A16', qids);
  const code = `export async function first_light(session) {
  await session.run({ name: 'rabi', tasks: ['CheckRabi'], targets: session.targets.qubits(['0']) });
}
`;
  await api.ask('/flows', { name: 'first_light', chip_id: 'A16', code });
  const environment = () => ({
    PATH: process.env['PATH'],
    HOME: lab.directory,
    PYTHONPATH: [join(pythonFolder, 'src'), join(pythonFolder, 'tests')].join(':'),
    PYTHONDONTWRITEBYTECODE: '1',
    TEMPORAL_ADDRESS: lab.settings.TEMPORAL_ADDRESS,
    TEMPORAL_NAMESPACE: lab.settings.TEMPORAL_NAMESPACE,
    CALIBRON_URL: api.base,
    CALIBRON_USERNAME: administrator.username,
    CALIBRON_PASSWORD: administrator.password,
    CALIBRON_PROJECT: project,
  });
  const worker = await serveFridge(interpreter, environment(), join(lab.directory, 'fridge.log'));
  return {
    lab,
    api,
    project,
    environment,
    async close() {
      worker.child.kill('SIGKILL');
      await worker.exited;
      await api.close();
      await lab.close();
    },
  };
}

async function serveFridge(
  interpreter: string,
  env: Record<string, string | undefined>,
  path: string,
): Promise<{ child: ChildProcess; exited: Promise<unknown> }> {
  const log = await open(path, 'a');
  const words = ['-m', 'calibron.command.main', 'backend', 'serve', 'fridge:backend'];
  const child = spawn(interpreter, words, { env, stdio: ['ignore', log.fd, log.fd] });
  await log.close();
  return { child, exited: once(child, 'exit') };
}

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cachedDirectory, cacheRoot } from '../../scripts/engines/cache.ts';
import { currentDocuments } from '../../scripts/openapi/document.ts';
import { documentText } from '../../scripts/openapi/kept-documents.ts';
import { administrator } from '../support/common-laboratory.ts';
import { type LaboratoryApi, openLaboratoryApi } from '../support/laboratory-api.ts';
import { pythonVersion } from '../support/python.ts';

const GENERATORS = ['openapi-python-client==0.29.1', 'datamodel-code-generator==0.89.0', 'ruff==0.17.6'];
/** Maven coordinates of openapi-generator. */
const OPENAPI_GENERATOR = 'org.openapitools:openapi-generator-cli:7.25.0';
const run = promisify(execFile);
const clientPackage = fileURLToPath(new URL('../../packages/client/', import.meta.url));
const pythonProgram = fileURLToPath(new URL('figure_of_a_run.py', import.meta.url));
const generatorOptions = fileURLToPath(
  new URL('../../packages/client/openapi-python-client.yaml', import.meta.url),
);

let api: LaboratoryApi;
let project: string;
let directory: string;
let document: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'calibron-clients-'));
  document = join(directory, 'openapi.json');
  await writeFile(document, documentText((await currentDocuments()).current));
  api = await openLaboratoryApi();
  project = await api.newProject('A16', ['0']);
  const code = `export async function first_light(session) {
  await session.run({ name: 'rabi', tasks: ['CheckRabi'], targets: session.targets.qubits(['0']) });
}
`;
  await api.ask('/flows', { name: 'first_light', chip_id: 'A16', code });
});
afterAll(async () => {
  await api.close();
  await rm(directory, { recursive: true, force: true });
});

/** Address, credentials and project, as both programs take them. */
const given = () => [api.base, administrator.username, administrator.password, project];

test('openapi-typescript describes the interface for TypeScript without skipLibCheck', async () => {
  await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: clientPackage });
  await writeFile(join(clientPackage, 'openapi.json'), documentText((await currentDocuments()).current));
  const generated = await run('npm', ['run', 'generate'], { cwd: clientPackage });
  expect(`${generated.stdout}${generated.stderr}`).not.toMatch(/warn|error/i);
  await run('npm', ['run', 'typecheck'], { cwd: clientPackage });
});

test('the client for TypeScript goes from the sign-in to the figure of a run', async () => {
  const program = join(clientPackage, 'example.ts');
  const { stdout } = await run(process.execPath, ['--import', 'tsx', program, ...given()]);
  expect(stdout.trim()).toBe('completed image/png 137,80,78,71');
});

/** The directory with the generators for Python. */
async function generators(): Promise<string> {
  const version = await pythonVersion();
  if (version === null) throw new Error('This check needs Python with pip.');
  const name = `openapi-generators-${GENERATORS.join('-').replace(/[^\w.-]/g, '_')}-python-${version}`;
  return cachedDirectory(join(cacheRoot(), name), async (target) => {
    await run('python3', ['-m', 'pip', 'install', '--quiet', '--target', target, ...GENERATORS]);
  });
}

/** Runs a Python program with the generators at hand. */
async function python(...words: string[]) {
  const packages = await generators();
  const env = {
    ...process.env,
    PYTHONPATH: `${packages}:${directory}`,
    PATH: `${packages}/bin:${process.env['PATH']}`,
  };
  return run('python3', words, { cwd: directory, env, maxBuffer: 64 * 1024 * 1024 });
}

test('the client of openapi-python-client, generated without a warning, goes the same way', async () => {
  const generated = await python(
    ...['-m', 'openapi_python_client', 'generate', '--path', document, '--meta', 'none'],
    ...[
      '--config',
      generatorOptions,
      '--output-path',
      join(directory, 'calibron_client'),
      '--fail-on-warning',
    ],
  );
  expect(`${generated.stdout}${generated.stderr}`).not.toMatch(/warning|unable/i);
  const { stdout } = await python(pythonProgram, ...given());
  expect(stdout.trim()).toBe('completed 137,80,78,71');
});

test('datamodel-code-generator makes models without a warning, and they load', async () => {
  const generated = await python(
    ...['-m', 'datamodel_code_generator', '--input', document, '--input-file-type', 'openapi'],
    ...['--output', join(directory, 'models.py'), '--output-model-type', 'pydantic_v2.BaseModel'],
    ...['--formatters', 'ruff-format'],
  );
  expect(`${generated.stdout}${generated.stderr}`).not.toMatch(/warning/i);
  await python('-c', 'import models; models.TaskResult; models.LatestEntry; models.ErrorCode');
});

/** The program of openapi-generator. */
async function openapiGenerator(): Promise<string> {
  const [, name = '', version = ''] = OPENAPI_GENERATOR.split(':');
  const folder = await cachedDirectory(join(cacheRoot(), `${name}-${version}`), async (target) => {
    const wanted = [`-Dartifact=${OPENAPI_GENERATOR}`, `-DoutputDirectory=${target}`];
    await run('mvn', ['-B', '-q', 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy', ...wanted]);
  });
  return join(folder, `${name}-${version}.jar`);
}

test('the client that openapi-generator makes for Go compiles', async () => {
  const target = join(directory, 'go-client');
  const words = ['generate', '-g', 'go', '-i', document, '-o', target, '--package-name', 'calibron'];
  await run('java', ['-jar', await openapiGenerator(), ...words], { maxBuffer: 64 * 1024 * 1024 });
  const go = (...command: string[]) => run('go', command, { cwd: target });
  await go('mod', 'tidy');
  await go('build', './...');
});

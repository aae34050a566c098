import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seedQubits } from '../../shared/domain/chips/index.ts';
import { projectIdSchema } from '../../shared/kernel/ids.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { packageRoot } from '../../shared/kernel/package-root.ts';
import { administrator } from '../support/common-laboratory.ts';
import { type LaboratoryApi, openLaboratoryApi } from '../support/laboratory-api.ts';

const root = fileURLToPath(packageRoot);
/** Milliseconds for the commands of one page, on a machine that is busy with other tests. */
const LIMIT = 300_000;
const CHIP = 'DEMO-16';

/** The blocks of shell commands of a page. */
const blocksOf = (file: string) =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/^```(?:sh|bash)\n([\s\S]*?)^```/gm)].map(
    ([, block = '']) => block,
  );

/** The one block of a page that has a text. */
function blockWith(file: string, text: string): string {
  const found = blocksOf(file).filter((block) => block.includes(text));
  if (found.length !== 1 || found[0] === undefined) throw new Error(`${file}: ${found.length} with ${text}`);
  return found[0];
}

describe('the commands of the pages, one after another as a reader runs them', () => {
  let api: LaboratoryApi;
  let folder: string;
  /** What the README defines before its first question. */
  let prelude: string;

  beforeAll(async () => {
    [api, folder] = await Promise.all([openLaboratoryApi(), mkdtemp(join(tmpdir(), 'calibron-commands-'))]);
    const [definitions = ''] = /^[\s\S]*?^ask\(\).*$/m.exec(blockWith('README.md', 'PASSWORD=...')) ?? [];
    prelude = definitions
      .replace(/^API=.*$/m, `API=${api.base}`)
      .replace(/^PASSWORD=.*$/m, `PASSWORD='${administrator.password}'`);
    expect(prelude).toContain(api.base);
    // As a first start leaves it: a chip with start values, a flow, and a run of it.
    await run(`
ask -H 'content-type: application/json' -d '{ "chip_id": "${CHIP}", "size": 16 }' $API/chips
ask $API/flows/templates/demo |
  node -pe 'JSON.stringify({ name: "demo", chip_id: "${CHIP}", code: JSON.parse(fs.readFileSync(0)).code })' |
  ask -H 'content-type: application/json' -d @- $API/flows`);
    const me = JSON.parse(await run('ask $API/auth/me'));
    const project_id = projectIdSchema.parse(me.default_project_id);
    await seedQubits(
      api.lab.seedStores,
      { project_id, chip_id: CHIP },
      new Map(['0', '1', '3'].map((qid) => [qid, api.lab.simulator.startValues(CHIP, qid, new Date())])),
    );
    await run(`ask -H 'content-type: application/json' -d '{}' $API/flows/demo/execute; settled`);
  }, LIMIT);
  afterAll(async () => {
    await api?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /**
   * Runs commands in a folder of their own, after what the README defines.
   * @returns what they printed
   * @throws if one ends with an error, or the service answers one with a status of 400 or more
   */
  async function run(commands: string): Promise<string> {
    const shell = spawn('bash', ['-euo', 'pipefail', '-c', `${TOOLS}\n${prelude}\n${commands}`], {
      cwd: folder,
      env: { ...process.env, ROOT: root },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [printed, errors] = ['', ''];
    shell.stdout.on('data', (data) => (printed += String(data)));
    shell.stderr.on('data', (data) => (errors += String(data)));
    const [code] = await once(shell, 'close');
    expect(code, `${commands}\n${printed.slice(-2000)}\n${errors.slice(-2000)}`).toBe(0);
    return printed;
  }

  test('the first calls of the README', { timeout: LIMIT }, async () => {
    const calls = blockWith('README.md', 'PASSWORD=...');
    const [, asked = ''] = /^ask\(\).*\n([\s\S]*)$/m.exec(calls) ?? [];
    // Where the text says so, a reader waits for the run.
    const waiting = asked.replace(/^# when that run has ended.*$/m, 'settled');
    expect(waiting).not.toBe(asked);
    const printed = await run(waiting);
    expect(printed).toContain('"username":"admin"');
    expect((await readFile(join(folder, 't1.png'))).subarray(1, 4).toString()).toBe('PNG');
    expect(await readFile(join(folder, 'why.html'), 'utf8')).toMatch(/<html[\s\S]*CheckT1/);
    await run(`settled; test "$(ask "$API/executions?chip_id=${CHIP}" | field '.executions.length')" = 3`);
  });

  test('a chip of your own, from its topology to the first task', { timeout: LIMIT }, async () => {
    const page = readFileSync(join(root, 'docs/your-own-chip.md'), 'utf8');
    const [, wiring = ''] = /^```yaml\n(A16:\n[\s\S]*?)^```/m.exec(page) ?? [];
    await writeFile(join(folder, 'wiring.yaml'), wiring);
    const blocks = blocksOf('docs/your-own-chip.md');
    expect(blocks.length).toBeGreaterThan(2);
    const printed = await run([...blocks, 'settled'].join('\n'));
    expect(printed).toContain('"execution_id"');
  });

  test('people, tokens, retention and the account of a night', { timeout: LIMIT }, async () => {
    const printed = await run(
      [
        // Files that share this laboratory have people of the same names.
        blockWith('docs/operating.md', '/auth/register').replaceAll('"ada"', `"ada-${newId()}"`),
        blockWith('docs/operating.md', '/auth/tokens'),
        blockWith('docs/operating.md', '/retention'),
        blockWith('docs/maintenance.md', '/time'),
      ].join('\n'),
    );
    expect(printed).toContain('cbt_');
    expect(printed).toContain('"max_gib":500');
  });

  test('the first look when an alert fires', { timeout: LIMIT }, async () => {
    const printed = await run(blockWith('docs/alerts.md', '/readyz'));
    expect(printed).toContain('"status":"ready"');
    expect(printed).toContain('"lock":false');
    expect(printed).toContain('"backends":[');
  });

  test('the types of a client of your own', { timeout: LIMIT }, async () => {
    await run(blockWith('docs/clients.md', 'openapi-typescript').replace('https://lab.example', api.base));
    expect(await readFile(join(folder, 'api.d.ts'), 'utf8')).toContain('execute_flow');
    expect(existsSync(join(root, 'api.d.ts'))).toBe(false);
  });

  test('each command of npm that a page names explains itself', { timeout: LIMIT }, async () => {
    for (const name of ['start', 'backup', 'restore', 'store', 'check-store', 'example']) {
      expect(await run(`cd "$ROOT"; npm run --silent ${name} -- --help`), name).toContain(name);
    }
  });
});

/** An answer with an error ends the commands, and packages come from this clone. */
const TOOLS = `
curl() { command curl --fail-with-body --no-progress-meter "$@"; }
npx() { "$ROOT/node_modules/.bin/$1" "\${@:2}"; }
settled() {
  until [ "$(ask $API/executions/lock-status | field .lock)" = false ]; do sleep 0.2; done
}
`;

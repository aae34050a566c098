/**
 * `npm run example -- agent [--api <address>] [--project <id>] [--chip <id>] [--qubit <number>] [--push]`: demonstrates a
 * client on a running Calibron. Signs in with CALIBRON_TOKEN, or CALIBRON_USERNAME and CALIBRON_PASSWORD.
 */
import { parseArgs } from 'node:util';
import { user } from '../../shared/domain/accounts/model.ts';
import { messageOf } from '../../shared/kernel/errors.ts';
import { accessTokenOf } from '../demo/access-token.ts';
import { createClient } from '../demo/client.ts';
import { runAgent } from './agent.ts';

const USAGE =
  'npm run example -- agent [--api http://127.0.0.1:5715] [--project <id>] [--chip DEMO-16] [--qubit 0] [--push]';

async function signIn(address: string): Promise<string> {
  const { CALIBRON_TOKEN: token, CALIBRON_USERNAME: username, CALIBRON_PASSWORD: password } = process.env;
  if (token) return token;
  if (username && password) return accessTokenOf(address, { username, password });
  throw new Error('Set CALIBRON_TOKEN, or CALIBRON_USERNAME and CALIBRON_PASSWORD, as npm start shows them.');
}

async function main(): Promise<void> {
  if (process.argv.includes('--help')) return console.log(USAGE);
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      api: { type: 'string', default: 'http://127.0.0.1:5715' },
      project: { type: 'string' },
      chip: { type: 'string', default: 'DEMO-16' },
      qubit: { type: 'string', default: '0' },
      push: { type: 'boolean', default: false },
    },
  });
  if (positionals.length !== 1 || positionals[0] !== 'agent') throw new Error(`Usage: ${USAGE}`);
  const { api: address, chip: chipId, qubit: qid, push } = values;
  const client = createClient(address, await signIn(address));
  const projectId = values.project ?? (await client.ask('/auth/me', user)).default_project_id;
  if (!projectId) throw new Error('You have no default project; name one with --project.');
  const say = (line: string) => console.log(line);
  await runAgent(client, { address, projectId, chipId, qid, push, say });
}

try {
  await main();
} catch (thrown) {
  console.error(messageOf(thrown));
  process.exitCode = 1;
}

/** The backend contract as JSON Schema, generated from activities/backends/backend.ts. As a program, writes the shipped file. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { z } from 'zod';
import { CONTRACT, measureRequest, measureResult } from '../activities/backends/backend.ts';

export const contractFile = fileURLToPath(new URL('../docs/backend-contract.schema.json', import.meta.url));

/** The text of the shipped file: request and result of `measure`. */
export function backendContract(): string {
  const exchange = z.object({ request: measureRequest, result: measureResult });
  // The `input` form allows unknown keys. Both sides ignore them, so that the contract can be extended.
  const schema = z.toJSONSchema(exchange, { io: 'input', reused: 'ref' });
  return `${JSON.stringify({ ...schema, title: `Calibron backend contract ${CONTRACT}` }, null, 2)}\n`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  writeFileSync(contractFile, backendContract());

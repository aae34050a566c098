/** Writes the generated part of the Python package: `npm run python-client`. */
import { pythonClientFolder, writePythonClient } from './generators.ts';

await writePythonClient(pythonClientFolder);

import { afterAll, beforeAll, it } from 'vitest';
import { eventually, type Laboratory, oneStage, openLaboratory } from '../runs/harness.ts';
let lab: Laboratory;
beforeAll(async () => { lab = await openLaboratory({ SIMULATOR_SECONDS: '0.2', LOG_LEVEL: 'DEBUG' }); });
afterAll(() => lab.close());
it('x', async () => {
  let stopped = await lab.startWorker({ NODE_OPTIONS: '--import file:///tmp/production/hook.mjs' });
  for (let i = 0; i < 1; i += 1) {
    const keep = await lab.startWorker({ NODE_OPTIONS: '--import file:///tmp/production/hook.mjs' });
    const place = await lab.newProject();
    const run = await lab.startFlow(place, oneStage(['CheckRabi', 'CheckT1'], undefined, ', parallel: 4'));
    await eventually(async () => (await lab.journal(place.projectId, run.execution_id)).length > 8, 150000);
    const t = performance.now();
    await stopped.stop();
    const took = performance.now() - t;
    console.log('stop took', took);
    
    console.log((await stopped.log()).split('\n').slice(-120).join('\n').slice(-42000));
    await lab.ended(place.projectId, run.execution_id, 150000);
    stopped = keep;
  }
  await stopped.stop();
}, 900000);

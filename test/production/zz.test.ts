import { afterAll, beforeAll, it } from 'vitest';
import { eventually, type Laboratory, oneStage, openLaboratory } from '../runs/harness.ts';
let lab: Laboratory;
beforeAll(async () => { lab = await openLaboratory({ SIMULATOR_SECONDS: '0.2', LOG_LEVEL: 'DEBUG' }); });
afterAll(() => lab.close());
it('x', async () => {
  const keep = await lab.startWorker();
  for (let i = 0; i < 4; i += 1) {
    const stopped = await lab.startWorker();
    const place = await lab.newProject();
    const run = await lab.startFlow(place, oneStage(['CheckRabi', 'CheckT1'], undefined, ', parallel: 4'));
    await eventually(async () => (await lab.journal(place.projectId, run.execution_id)).length > 8, 150000);
    const t = performance.now();
    await stopped.stop();
    console.log('stop took', performance.now() - t);
    console.log((await stopped.log()).split('\n').filter((l) => !l.includes('Activity started')).slice(-25).join('\n').slice(-5000));
    await lab.ended(place.projectId, run.execution_id, 150000);
  }
  await keep.stop();
}, 600000);

import { test } from 'vitest';
import { startApi } from './harness.ts';
test('perf', async () => {
  const api = await startApi();
  const p = await api.makePerson(); const project = await api.makeProject(p);
  for (const n of [1,2,3]) { const t = performance.now(); await api.as(p, project)('/chips', { method: 'POST', body: { chip_id: 'C'+n, size: 1024 } }); console.log('chip', performance.now() - t); }
  for (const [url, label] of [['/auth/me','me'],['/chips/C1','chip'],['/chips/C1/qubits?limit=256','qubits256'],['/chips/C1/qubits/7','qubit']] as const) {
    let n = 0; const t = performance.now(); const as = api.as(p, project);
    await Promise.all(Array.from({length: 20}, async () => { while (performance.now() - t < 2000) { await as(url); n++; } }));
    console.log(label, Math.round(n / 2), '/s');
  }
  await api.server.listen({port:0, host:'127.0.0.1'});
  await api.close();
}, 60000);

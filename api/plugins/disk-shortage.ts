import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import type { DiskSpace } from '../../shared/kernel/disk-space.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Why no new measurement may start; null if there is space. */
    diskShortage: { readonly current: string | null };
  }
}

/** Milliseconds between two checks of the disks. */
const INTERVAL = 5000;

/** Looks regularly whether there is space for new measurements: a request must not wait for a disk that hangs. */
export const diskShortage = fastifyPlugin(
  async (
    app: FastifyInstance,
    { diskSpace, every = INTERVAL }: { diskSpace: Pick<DiskSpace, 'shortage'>; every?: number },
  ) => {
    let current: string | null = null;
    async function look(): Promise<void> {
      const found = await diskSpace.shortage();
      if (found !== null && current === null) app.log.warn({ shortage: found }, 'no new measurement starts');
      if (found === null && current !== null) app.log.warn('measurements start again');
      current = found;
    }
    const timer = setInterval(() => void look(), every);
    timer.unref();
    void look();
    app.addHook('onClose', async () => clearInterval(timer));
    app.decorate('diskShortage', {
      get current() {
        return current;
      },
    });
    app.metrics.watch('calibron_disk_short', '1 while a disk has no space left for new measurements.', () =>
      Number(current !== null),
    );
  },
  { name: 'disk-shortage', dependencies: ['metrics'] },
);

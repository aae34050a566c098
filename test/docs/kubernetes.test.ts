import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { phaseLimits } from '../../api/shutdown.ts';
import { readSettings, settingsSchema } from '../../shared/domain/settings.ts';
import { stopLimit } from '../../workers/stop-limit.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const source = readFileSync(join(root, 'config/kubernetes/calibron.yaml'), 'utf8');
const documents = parseAllDocuments(source);
const objects = documents.map((each) =>
  z
    .object({ apiVersion: z.string(), kind: z.string(), metadata: z.object({ name: z.string() }) })
    .loose()
    .parse(each.toJS()),
);
const ofKind = (kind: string) => objects.filter((each) => each.kind === kind);

const names = z.array(z.object({ name: z.string() }).loose());
const deployment = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    replicas: z.number(),
    selector: z.object({ matchLabels: z.record(z.string(), z.string()) }),
    template: z.object({
      metadata: z.object({ labels: z.record(z.string(), z.string()) }),
      spec: z.object({
        enableServiceLinks: z.literal(false),
        terminationGracePeriodSeconds: z.number(),
        securityContext: z.object({
          runAsNonRoot: z.literal(true),
          runAsUser: z.number(),
          fsGroup: z.number(),
        }),
        volumes: names,
        containers: z
          .array(
            z.object({
              image: z.string(),
              command: z.array(z.string()).optional(),
              envFrom: z.array(z.object({ configMapRef: z.object({ name: z.string() }) })),
              env: z.array(z.strictObject({ name: z.string(), value: z.string() })),
              volumeMounts: names,
              livenessProbe: z.object({}).loose(),
              readinessProbe: z.object({}).loose().optional(),
              securityContext: z.object({
                readOnlyRootFilesystem: z.literal(true),
                allowPrivilegeEscalation: z.literal(false),
              }),
            }),
          )
          .length(1),
      }),
    }),
  }),
});
const deployments = ofKind('Deployment').map((each) => deployment.parse(each));
const [settingsMap] = ofKind('ConfigMap').map((each) =>
  z.object({ data: z.record(z.string(), z.string()) }).parse(each),
);
const shared = settingsMap?.data ?? {};

function environmentOf({ spec }: z.infer<typeof deployment>): Record<string, string> {
  const [container] = spec.template.spec.containers;
  const own = (container?.env ?? []).map(({ name, value }) => [name, value] as const);
  return { ...shared, ...Object.fromEntries(own) };
}

describe('config/kubernetes/calibron.yaml', () => {
  test('has no errors of syntax, and each object once', () => {
    expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
    expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'ConfigMap calibron',
      'PersistentVolumeClaim calibron-data',
      'Service calibron',
      'Deployment calibron-api',
      'Deployment calibron-worker',
    ]);
  });

  test.each(deployments)(
    '$metadata.name has settings that exist and fit, and no secret in clear text',
    (each) => {
      const environment = environmentOf(each);
      for (const [name, value] of Object.entries(environment)) {
        const known = Object.keys(settingsSchema.shape);
        expect(known).toContain(known.includes(name) ? name : name.replace(/_FILE$/, ''));
        if (/SECRET|PASSWORD|MONGODB_URI/.test(name)) {
          expect(name).toMatch(/_FILE$/);
          expect(value).toMatch(/^\/run\/secrets\/calibron\//);
        }
      }
      const plain = Object.fromEntries(
        Object.entries(environment).filter(([name]) => name in settingsSchema.shape),
      );
      expect(() => readSettings(plain)).not.toThrow();
    },
  );

  test.each(deployments)('$metadata.name finds its Pods, its volumes and its program', ({ spec }) => {
    const { metadata, spec: pod } = spec.template;
    expect(metadata.labels).toMatchObject(spec.selector.matchLabels);
    const [container] = pod.containers;
    for (const { name } of container?.volumeMounts ?? []) {
      expect(pod.volumes.map((volume) => volume.name)).toContain(name);
    }
    const program = container?.command?.at(-1) ?? 'dist/api/main.js';
    expect(existsSync(join(root, program.replace(/^dist\/(.*)\.js$/, '$1.ts')))).toBe(true);
    expect(spec.replicas).toBeGreaterThanOrEqual(2);
  });

  test('gives each process the time that it needs to stop', () => {
    const [api, worker] = deployments;
    if (!api || !worker) throw new Error('a Deployment is missing');
    const settings = readSettings({ API_DRAIN: environmentOf(api)['API_DRAIN'] });
    const { drain, requests, connections } = phaseLimits;
    const apiNeeds = settings.API_DRAIN * 1000 + drain + requests + 2 * connections;
    expect(api.spec.template.spec.terminationGracePeriodSeconds * 1000).toBeGreaterThan(apiNeeds);
    const workerNeeds = stopLimit(readSettings({})) + 2 * connections;
    expect(worker.spec.template.spec.terminationGracePeriodSeconds * 1000).toBeGreaterThan(workerNeeds);
  });

  test('the secret that the guide creates has each file that is read, and the Service the Pods of the API', () => {
    const guide = readFileSync(join(root, 'docs/kubernetes.md'), 'utf8');
    const files = [...source.matchAll(/\/run\/secrets\/calibron\/([\w-]+)/g)].map(([, file]) => file);
    expect(files.length).toBeGreaterThan(2);
    for (const file of files) expect(guide).toContain(`--from-file=${file}`);
    const [service] = ofKind('Service').map((each) =>
      z.object({ spec: z.object({ selector: z.record(z.string(), z.string()) }) }).parse(each),
    );
    expect(deployments[0]?.spec.template.metadata.labels).toMatchObject(
      service?.spec.selector ?? { none: '' },
    );
    expect(deployments[1]?.spec.template.metadata.labels).not.toMatchObject(service?.spec.selector ?? {});
  });
});

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { DCLinter } from 'dclint';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { phaseLimits } from '../../api/shutdown.ts';
import { processMemory } from '../../scripts/process-memory.ts';
import { readSettings, settingsSchema } from '../../shared/domain/settings.ts';
import { stopLimit } from '../../workers/stop-limit.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const path = join(root, 'docker-compose.yml');
const source = readFileSync(path, 'utf8');
const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String);

const service = z.object({
  image: z.string(),
  build: z.string().optional(),
  user: z.string().optional(),
  restart: z.string(),
  read_only: z.boolean().optional(),
  cap_drop: z.array(z.string()).optional(),
  stop_grace_period: z
    .string()
    .regex(/^\d+s$/)
    .optional(),
  environment: z.record(z.string(), scalar).default({}),
  volumes: z.array(z.string()).default([]),
  ports: z.array(z.string()).default([]),
  deploy: z.object({ replicas: z.number() }).optional(),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  healthcheck: z.object({ test: z.array(z.string()) }).optional(),
  command: z.array(z.string()).optional(),
  networks: z.union([z.array(z.string()), z.record(z.string(), z.unknown())]).optional(),
});
const compose = z
  .object({ services: z.record(z.string(), service), volumes: z.record(z.string(), z.null()) })
  .parse(parse(source, { merge: true }));
const { services } = compose;
const ours = Object.entries(services).filter(([, { build }]) => build !== undefined);
/** Our programs that have access to store and files, and those that have not. */
const inside = ours.filter(([, { environment }]) => environment['MONGODB_URI'] !== undefined);
const outside = ours.filter((each) => !inside.includes(each));
const lasting = Object.entries(services).filter(([, { restart }]) => restart === 'unless-stopped');

const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
const [, finalStage = ''] = dockerfile.split(/^FROM .*\n(?=#)/m);

/** What of the linter's answers is read; its own types cannot be resolved. */
const lintResults = z.array(
  z.object({ messages: z.array(z.object({ rule: z.string(), type: z.string() }).loose()) }),
);

/** A text with its variables replaced: by their defaults, or by a secret where there is none. */
function filledIn(text: string): string {
  return text.replace(/\$\{\w+:\?\}/g, 'x'.repeat(48)).replace(/\$\{\w+:-([^}]*)\}/g, '$1');
}

/** Milliseconds of stopping that the program itself allows for. */
function ownStopTime(environment: Record<string, string>): number {
  if (environment['WORKER_QUEUES'] !== undefined)
    return (
      stopLimit(readSettings({ WORKER_GRACE: environment['WORKER_GRACE'] })) + 2 * phaseLimits.connections
    );
  const { drain, requests, connections } = phaseLimits;
  return Number(environment['API_DRAIN']) * 1000 + drain + requests + 2 * connections;
}

describe('docker-compose.yml', () => {
  test('is what the compose specification allows, and opens its ports for the machine itself only', () => {
    const rules = {
      'no-duplicate-container-names': 2,
      'no-duplicate-exported-ports': 2,
      'no-quotes-in-volumes': 2,
      'no-version-field': 2,
      'require-project-name-field': 2,
      'require-quotes-in-ports': 0,
      'service-image-require-explicit-tag': 2,
    } as const;
    const linter = new DCLinter({ rules, quiet: false, debug: false, exclude: [] });
    const found = lintResults.parse(linter.lintFiles([path], false)).flatMap(({ messages }) => messages);
    // The rule does not see an address that is a variable; the addresses are looked at below.
    const errors = found.filter(
      ({ type, rule }) => type === 'error' && rule !== 'no-unbound-port-interfaces',
    );
    expect(errors).toEqual([]);
    const ports = Object.values(services).flatMap((each) => each.ports);
    expect(ports.map(filledIn)).toEqual(['127.0.0.1:5715:5715', '127.0.0.1:8233:8233']);
  });

  test('has two APIs, two workers, a backend worker, a replica set and the engine with its database', () => {
    expect(services['api']?.deploy?.replicas).toBe(2);
    expect(services['worker']).toMatchObject({
      deploy: { replicas: 2 },
      environment: { WORKER_QUEUES: 'calibration' },
    });
    expect(services['simulator']?.environment['WORKER_QUEUES']).toBe('backend:simulator');
    expect(Object.keys(services)).toEqual(
      expect.arrayContaining([
        'mongodb-1',
        'mongodb-2',
        'mongodb-3',
        'temporal',
        'temporal-ui',
        'postgresql',
      ]),
    );
  });

  test.each(ours)(
    '%s is confined, is watched, comes back, and gets the time that it needs to stop',
    (...[, each]) => {
      expect(each).toMatchObject({ read_only: true, cap_drop: ['ALL'], restart: 'unless-stopped' });
      expect(each.user).toBeUndefined();
      expect(Number.parseInt(each.stop_grace_period ?? '', 10) * 1000).toBeGreaterThan(
        ownStopTime(each.environment),
      );
      expect(each.healthcheck ?? /^HEALTHCHECK /m.exec(finalStage)).toBeTruthy();
    },
  );

  test.each(inside)('%s starts after store and engine, and shares the data', (...[, each]) => {
    expect(each.depends_on).toMatchObject({
      'mongodb-replica-set': { condition: 'service_completed_successfully' },
      temporal: { condition: 'service_healthy' },
    });
    expect(each.volumes).toEqual(['calibron-data:/data']);
    expect(each.networks).toBeUndefined();
  });

  test('reads files with a token only, lets administrators alone change the configuration, and conceals strangers', () => {
    expect(services['api']?.environment).toMatchObject({
      ...{ ARTIFACT_ACCESS: 'token', CONFIG_WRITE: 'admin', INVITE_STRANGERS: 'concealed' },
    });
  });

  test('gives a backend its queue at Temporal and nothing else: no store, no secret, no files', () => {
    expect(outside.map(([name]) => name)).toEqual(['simulator', 'backend-route']);
    for (const [, { environment, volumes }] of outside) {
      expect(volumes).toEqual([]);
      expect(Object.values(environment).join()).not.toContain(':?');
    }
    const { simulator, 'backend-route': route } = services;
    expect(simulator?.networks).toEqual(['backends']);
    expect(simulator?.environment['TEMPORAL_ADDRESS']).toBe('backend-route:7234');
    expect(route?.networks).toEqual(['default', 'backends']);
    expect(route?.environment['WORKER_QUEUES']).toBe(simulator?.environment['WORKER_QUEUES']);
    const reached = Object.entries(services).flatMap(([name, { networks = [] }]) =>
      (Array.isArray(networks) ? networks : Object.keys(networks)).includes('backends') ? [name] : [],
    );
    expect(reached.sort()).toEqual(['backend-route', 'proxy', 'simulator']);
  });

  test.each(ours)('%s has settings that exist and that the program accepts', (...[, { environment }]) => {
    for (const name of Object.keys(environment)) expect(Object.keys(settingsSchema.shape)).toContain(name);
    const values = Object.entries(environment).map(([name, text]) => [name, filledIn(text)]);
    expect(() => readSettings(Object.fromEntries(values))).not.toThrow();
  });

  test('watches each lasting service but the UI, which nothing waits for', () => {
    const unwatched = lasting.filter(([, each]) => !each.build && !each.healthcheck).map(([name]) => name);
    expect(unwatched).toEqual(['temporal-ui']);
    for (const { depends_on } of Object.values(services)) {
      for (const [name, { condition }] of Object.entries(depends_on)) {
        const needed =
          services[name]?.restart === 'unless-stopped' ? 'service_healthy' : 'service_completed_successfully';
        expect(condition).toBe(needed);
      }
    }
  });

  test('pins every image', () => {
    const images = [
      ...Object.values(services).map(({ image }) => image),
      ...Array.from(dockerfile.matchAll(/^FROM (\S+)/gm), ([, image = '']) => image),
    ];
    const stages = Array.from(dockerfile.matchAll(/^FROM .* AS (\S+)/gm), ([, stage]) => stage);
    for (const image of images.filter((name) => !stages.includes(name))) {
      expect(image).toMatch(/:(\$\{CALIBRON_VERSION:-)?\d+\.\d+(\.\d+)?/);
    }
  });

  test('keeps the data of every store in a volume, and mounts only files that are there', () => {
    const stores = Object.keys(services).filter((name) => /^(mongodb-\d|postgresql)$/.test(name));
    for (const name of stores) expect(services[name]?.volumes[0]).toMatch(new RegExp(`^${name}:/`));
    expect(Object.keys(compose.volumes).sort()).toEqual(['calibron-data', ...stores].sort());
    const mounted = Object.values(services)
      .flatMap(({ volumes }) => volumes)
      .filter((volume) => volume.startsWith('./'));
    expect(mounted).toHaveLength(4);
    for (const volume of mounted) {
      expect(volume).toMatch(/:ro$/);
      expect(existsSync(join(root, volume.split(':')[0] ?? ''))).toBe(true);
    }
  });

  test('makes the user of the store with the rights that the guide asks for, also where the user exists', () => {
    const guide = readFileSync(join(root, 'docs/mongodb.md'), 'utf8');
    const asked = [...guide.matchAll(/\{ role: '(\w+)', db: 'calibron' \}/g)].map(([, role]) => role).sort();
    expect(asked).toEqual(['dbAdmin', 'readWrite']);
    const script = readFileSync(join(root, 'config/mongodb/replica-set.js'), 'utf8');
    for (const exists of [false, true]) {
      const given: unknown[] = [];
      const primary = {
        getUser: () => (exists ? { user: 'calibron' } : null),
        createUser: (account: unknown) => given.push(account),
        updateUser: (_name: string, account: unknown) => given.push(account),
      };
      const environment = { MONGODB_ROOT_PASSWORD: 'root', MONGODB_PASSWORD: 'service' };
      runInNewContext(script, {
        process: { env: environment },
        connect: () => primary,
        rs: { status: () => ({ ok: 1 }) },
      });
      const [account] = z
        .array(z.object({ pwd: z.string(), roles: z.array(z.object({ role: z.string(), db: z.string() })) }))
        .length(1)
        .parse(given);
      expect(account?.pwd).toBe('service');
      expect(account?.roles.map(({ role }) => role).sort()).toEqual(asked);
      expect(account?.roles.every(({ db }) => db === 'calibron')).toBe(true);
    }
  });

  test('takes every secret from the environment, without a default, and .env.example names each', () => {
    const example = readFileSync(join(root, '.env.example'), 'utf8');
    for (const { environment } of Object.values(services)) {
      for (const [name, value] of Object.entries(environment)) {
        if (/PASSWORD|PWD|SECRET|KEY|TOKEN/.test(name)) expect(value).toMatch(/^\$\{\w+:\?\}$/);
        const credentials = /\/\/[^/:]*:([^/@]*)@/.exec(value)?.[1];
        if (credentials !== undefined) expect(credentials).toMatch(/^\$\{\w+:\?\}$/);
      }
    }
    const required = new Set([...source.matchAll(/\$\{(\w+):\?\}/g)].map(([, name]) => name));
    const empty = [...example.matchAll(/^(\w+)=$/gm)].map(([, name]) => name);
    expect(new Set(empty)).toEqual(required);
    for (const [, name] of source.matchAll(/\$\{(\w+)/g)) expect(example).toContain(`${name}=`);
    expect(readFileSync(join(root, '.gitignore'), 'utf8').split('\n')).toContain('.env');
  });

  test('gives the engine the settings that the engine of npm start has', () => {
    const settings = z
      .record(z.string(), z.array(z.object({ value: scalar })))
      .parse(parse(readFileSync(join(root, 'config/temporal/dynamic-config.yaml'), 'utf8')));
    const started = readFileSync(join(root, 'scripts/engines/processes.ts'), 'utf8');
    const known = [...started.matchAll(/'((?:history|system|matching)\.\w+)': '(\w+)'/g)].map(
      ([, name, value]) => [name, [{ value }]],
    );
    expect(known.length).toBeGreaterThan(0);
    expect(settings).toEqual(Object.fromEntries(known));
  });
});

describe('the image', () => {
  test('runs as a user without rights, with the data of the volume its own', () => {
    expect([...finalStage.matchAll(/^USER (\S+)/gm)].map(([, user]) => user)).toEqual(['node']);
    expect(finalStage).toContain('VOLUME /data');
    expect(finalStage).toContain('DATA_DIR=/data');
  });

  test('keeps memory as npm start does', () => {
    for (const [name, value] of Object.entries(processMemory))
      expect(finalStage).toContain(`${name}=${value}`);
  });

  test('holds the packages of production alone, and is built from what is there and sent to the builder', () => {
    expect(dockerfile).toContain('npm ci --omit=dev');
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = '']) =>
      names.split(' '),
    );
    expect(copied).toEqual(expect.arrayContaining(['package.json', 'scripts', 'shared', 'config']));
    const ignored = readFileSync(join(root, '.dockerignore'), 'utf8');
    for (const name of copied) {
      expect([name, existsSync(join(root, name))]).toEqual([name, true]);
      expect(ignored.split('\n')).toContain(`!${name}`);
    }
    expect(new Set(ignored.split('\n').filter((line) => line.startsWith('!')))).toEqual(
      new Set(copied.map((name) => `!${name}`)),
    );
    expect(ignored.split('\n')[0]).toBe('*');
  });

  test.each(ours)('has the program that %s starts', (...[, { command }]) => {
    const [, cmd = ''] = /^CMD (\[.*\])$/m.exec(finalStage.slice(finalStage.lastIndexOf('\nCMD'))) ?? [];
    const program = (command ?? z.array(z.string()).parse(JSON.parse(cmd))).at(-1) ?? '';
    expect(existsSync(join(root, program))).toBe(true);
  });
});

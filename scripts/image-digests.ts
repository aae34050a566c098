/**
 * `npm run image-digests` pins each image in docker-compose.yml and Dockerfile by its digest, after the version, so that a
 * deploy gets exactly the reviewed image. Run it again after changing a version. It queries the registries of the images.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { z } from 'zod';
import { packageRoot } from '../shared/kernel/package-root.ts';

/** Registry of images without a registry in their name. */
const DEFAULT_REGISTRY = 'https://registry-1.docker.io';
/** An image in a line of a compose file or Dockerfile: preceding text, name, version, and optional digest. */
const IMAGE =
  /^(\s*image:\s*|FROM\s+(?:--platform=\S+\s+)?)([a-z0-9.-]+(?::\d+)?(?:\/[a-z0-9._-]+)*):([\w.-]+)(@sha256:[0-9a-f]{64})?/gim;
const MANIFESTS = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');
const PATIENCE_MS = 30_000;

const tokenAnswer = z.object({ token: z.string().optional(), access_token: z.string().optional() });

/** Splits an image name into registry and repository. */
function placeOf(name: string, defaultRegistry: string): { registry: string; repository: string } {
  const [host = '', ...path] = name.split('/');
  const hasHost = path.length > 0 && (/[.:]/.test(host) || host === 'localhost');
  if (hasHost) return { registry: `https://${host}`, repository: path.join('/') };
  return { registry: defaultRegistry, repository: path.length === 0 ? `library/${name}` : name };
}

/** Gets an anonymous token, as described by the registry's challenge. */
async function tokenFor(challenge: string): Promise<string> {
  const fields = Object.fromEntries(
    [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, field = '', value = '']) => [field, value]),
  );
  const { realm, service, scope } = fields;
  if (!/^bearer /i.test(challenge) || realm === undefined)
    throw new Error('the registry asks for a password');
  const address = new URL(realm);
  if (service !== undefined) address.searchParams.set('service', service);
  if (scope !== undefined) address.searchParams.set('scope', scope);
  const answer = await fetch(address, { signal: AbortSignal.timeout(PATIENCE_MS) });
  if (!answer.ok) throw new Error(`${address.host} answered ${answer.status}`);
  const { token, access_token } = tokenAnswer.parse(await answer.json());
  const given = token ?? access_token;
  if (given === undefined) throw new Error(`${address.host} gave no token`);
  return given;
}

/** The current digest of an image in its registry. @throws if the registry does not return one */
export async function digestOf(
  name: string,
  version: string,
  defaultRegistry = DEFAULT_REGISTRY,
): Promise<string> {
  const { registry, repository } = placeOf(name, defaultRegistry);
  const ask = (authorization?: string) =>
    fetch(`${registry}/v2/${repository}/manifests/${version}`, {
      method: 'HEAD',
      headers: { accept: MANIFESTS, ...(authorization !== undefined && { authorization }) },
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
  let answer = await ask();
  const challenge = answer.headers.get('www-authenticate');
  if (answer.status === 401 && challenge !== null) answer = await ask(`Bearer ${await tokenFor(challenge)}`);
  if (!answer.ok) throw new Error(`${name}:${version}: ${new URL(registry).host} answered ${answer.status}`);
  const digest = answer.headers.get('docker-content-digest') ?? '';
  if (!/^sha256:[0-9a-f]{64}$/.test(digest))
    throw new Error(`${name}:${version}: the registry names no digest`);
  return digest;
}

/** A compose file or Dockerfile with the digests of its images. Images with a variable as version are not changed. */
export async function withDigests(
  text: string,
  digest: (name: string, version: string) => Promise<string>,
): Promise<string> {
  const images = new Map<string, string>();
  for (const [, , name = '', version = ''] of text.matchAll(IMAGE)) {
    const image = `${name}:${version}`;
    if (!images.has(image)) images.set(image, await digest(name, version));
  }
  return text.replace(IMAGE, (_, before: string, name: string, version: string) => {
    const image = `${name}:${version}`;
    return `${before}${image}@${images.get(image)}`;
  });
}

async function main(): Promise<void> {
  for (const file of ['docker-compose.yml', 'Dockerfile']) {
    const path = fileURLToPath(new URL(file, packageRoot));
    const before = readFileSync(path, 'utf8');
    const after = await withDigests(before, (name, version) => digestOf(name, version));
    if (after !== before) writeFileSync(path, after);
    console.log(`${file}: ${after === before ? 'unchanged' : 'written'}`);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { uploadedImage } from '../../shared/domain/images/model.ts';
import type { ProjectId } from '../../shared/kernel/ids.ts';
import {
  type Answer,
  type Api,
  expectError,
  expectProblems,
  type Person,
  read,
  startApi,
} from './harness.ts';

let api: Api;
let viewer: Person;
let project: ProjectId;

beforeAll(async () => {
  api = await startApi();
  const owner = await api.makePerson();
  viewer = await api.makePerson();
  project = await api.makeProject(owner);
  await api.addMember(project, viewer, 'viewer');
});
afterAll(() => api.close());

/** A form with one file, as browsers send it. */
function form(
  content: Buffer,
  { field = 'file', type = 'image/png' } = {},
): { bytes: Buffer; headers: Record<string, string> } {
  const boundary = 'xyz';
  return {
    bytes: Buffer.concat([
      Buffer.from(
        `--${boundary}\r\ncontent-disposition: form-data; name="${field}"; filename="a.png"\r\ncontent-type: ${type}\r\n\r\n`,
      ),
      content,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  };
}

const upload = (content: Buffer, options?: Parameters<typeof form>[1], place = 'forum'): Promise<Answer> =>
  api.as(viewer, project)(`/${place}/upload-image`, { method: 'POST', ...form(content, options) });
const kept = async (content: Buffer, place = 'forum') =>
  read(uploadedImage, await upload(content, {}, place)).url;

const blank = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#3a5ccc' } });
/** A PNG whose header says that it is so large. */
function claiming(png: Buffer, width: number, height: number): Buffer {
  const changed = Buffer.from(png);
  changed.writeUInt32BE(width, 16);
  changed.writeUInt32BE(height, 20);
  changed.writeUInt32BE(crc32(changed.subarray(12, 29)), 29);
  return changed;
}
/** A GIF of two pictures of one pixel. */
const moving = Buffer.from(
  '47494638396101000100800000000000ffffff21ff0b4e45545343415045322e30030100000021f90400010000002c000000000100010000020244010021f90400010000002c00000000010001000002024c01003b',
  'hex',
);

describe('an upload', () => {
  test('is recognised by its content and encoded again, without the metadata of its file', async () => {
    const photo = await blank(30, 20)
      .withExif({ IFD0: { Copyright: 'secret place' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    const url = await kept(photo);
    expect(url).toMatch(/^\/api\/forum\/images\/[0-9a-f-]{36}\.jpg$/);
    const shown = await api.call(url);
    expect(shown.status).toBe(200);
    expect(shown.headers).toMatchObject({
      'content-type': 'image/jpeg',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    });
    const drawn = await sharp(shown.bytes).metadata();
    expect(drawn).toMatchObject({ format: 'jpeg', width: 20, height: 30 });
    expect(drawn.exif).toBeUndefined();
  });

  test('that moves goes on moving, within bounds', async () => {
    const frame = (color: string) =>
      sharp({ create: { width: 40, height: 30, channels: 3, background: color } })
        .png()
        .toBuffer();
    const film = async (count: number) =>
      sharp(await Promise.all(Array.from({ length: count }, (_, at) => frame(at % 2 ? 'red' : 'blue'))), {
        join: { animated: true },
      });
    for (const [bytes, ending] of [
      [await (await film(3)).gif({ delay: [50, 60, 70] }).toBuffer(), 'gif'],
      [await (await film(3)).webp({ delay: [50, 60, 70] }).toBuffer(), 'webp'],
    ] as const) {
      const url = await kept(bytes);
      expect(url).toMatch(new RegExp(`\\.${ending}$`));
      const shown = await api.call(url);
      expect(shown.headers['content-type']).toBe(`image/${ending}`);
      expect(await sharp(shown.bytes).metadata()).toMatchObject({ pages: 3, width: 40, delay: [50, 60, 70] });
    }
    expect(await kept(moving)).toMatch(/\.gif$/);
    const long = await (await film(301)).gif().toBuffer();
    expect(expectError(await upload(long), 400, 'bad_request')).toContain('301 pictures');
  });

  test('stays in its format, but a still GIF, and is scaled down to sides of 4096', async () => {
    expect(await kept(await blank(2, 2).png().toBuffer())).toMatch(/\.png$/);
    expect(await kept(await blank(2, 2).webp().toBuffer())).toMatch(/\.webp$/);
    expect(await kept(await blank(2, 2).gif().toBuffer())).toMatch(/\.png$/);
    const wide = await api.call(await kept(await blank(5000, 10).png().toBuffer()));
    expect(await sharp(wide.bytes).metadata()).toMatchObject({ width: 4096, height: 8 });
  });

  test('that is no picture, too many pixels, or broken is refused', async () => {
    const png = await blank(50, 50).png().toBuffer();
    const bomb = claiming(png, 20_000, 20_000);
    const hostile = [
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'),
      Buffer.from('<html>'),
      Buffer.alloc(0),
      png.subarray(0, 60),
      bomb,
    ];
    for (const content of hostile) expectError(await upload(content), 400, 'bad_request');
  });

  test('is at most 5 MiB, in a form, in its field', async () => {
    expectError(await upload(Buffer.alloc(5 * 1024 * 1024 + 1, 1)), 413, 'too_large');
    expectProblems(await upload(Buffer.from('x'), { field: 'image' }), [['missing', 'body', 'file']]);
    const json = await api.as(viewer, project)('/forum/upload-image', { method: 'POST', body: {} });
    expectError(json, 415, 'unsupported_media_type');
    expect(json.text).toContain('Send multipart/form-data.');
  });

  test('belongs to its project, in whose directory it is', async () => {
    const url = await kept(await blank(2, 2).png().toBuffer());
    const name = url.slice(url.lastIndexOf('/') + 1);
    expect(existsSync(join(api.settings.CALIB_DATA_PATH, project, '_images', 'forum', name))).toBe(true);
    const stored = await api.database.db.collection('images').findOne({ name });
    expect(stored).toMatchObject({ project_id: project, place: 'forum', uploaded_by_user_id: viewer.id });
  });
});

test('what no text shows within a week is collected, and nothing else', async () => {
  const draw = async () => kept(await blank(2, 2).png().toBuffer());
  const [inText, inBlock, inNote, unused, late] = [
    await draw(),
    await draw(),
    await draw(),
    await draw(),
    await draw(),
  ];
  const ask = (url: string, body: object) => api.as(viewer, project)(url, { method: 'POST', body });
  const post = { category: 'other', title: 'Seen', content: `![a](${inText})`, content_blocks: [] };
  const blocks = [{ type: 'image', props: { url: `https://lab.example${inBlock}` } }];
  const written = await ask('/forum/posts', { ...post, content_blocks: blocks });
  expect(written.status).toBe(201);
  // Whatever kind of text it is, as long as a request brings it.
  const session = { session_id: 'seen', context: { seen: inNote } };
  expect((await ask('/copilot/chat/sessions', session)).status).toBe(200);
  const images = api.database.db.collection('images');
  const day = 86_400_000;
  const nameIn = (url: string) => url.slice(url.lastIndexOf('/') + 1);
  await images.updateOne({ name: nameIn(late) }, { $set: { created_at: new Date(Date.now() + 3 * day) } });
  await api.areas.images.collect(new Date(Date.now() + 8 * day));
  for (const url of [inText, inBlock, inNote, late]) expect((await api.call(url)).status).toBe(200);
  expectError(await api.call(unused), 404, 'not_found');
  expect(await images.findOne({ name: nameIn(unused) })).toBeNull();
  expect(existsSync(join(api.settings.CALIB_DATA_PATH, project, '_images', 'forum', nameIn(unused)))).toBe(
    false,
  );
});

test('an image that a process ended while removing is shown no more, and removed by the next round', async () => {
  const url = await kept(await blank(2, 2).png().toBuffer());
  const images = api.database.db.collection('images');
  const name = url.slice(url.lastIndexOf('/') + 1);
  await images.updateOne({ name }, { $set: { state: 'leaving' } });
  expectError(await api.call(url), 404, 'not_found');
  await api.areas.images.collect();
  expect(await images.findOne({ name })).toBeNull();
});

describe('an image', () => {
  test('is served under both addresses, of its own place only', async () => {
    const url = await kept(await blank(2, 2).png().toBuffer(), 'issues');
    expect(url).toMatch(/^\/api\/issues\/images\//);
    expect((await api.call(url)).status).toBe(200);
    expect((await api.call(url.replace('/api', ''))).status).toBe(200);
    expectError(await api.call(url.replace('issues', 'forum')), 404, 'not_found');
  });

  test('that there is not, or whose name is none, is refused', async () => {
    expectError(await api.call('/forum/images/0f8fad5b-d9cb-469f-a165-70867728950e.png'), 404, 'not_found');
    for (const name of ['a.png', '..%2f..%2fetc%2fpasswd', '0f8fad5b-d9cb-469f-a165-70867728950e.svg']) {
      expectError(await api.call(`/forum/images/${name}`), 400, 'bad_request');
    }
  });
});

test('where files are read with a token only, an image is for members of its project', async () => {
  const closed = await startApi({ environment: { ARTIFACT_ACCESS: 'token', IMAGES_MIB_PER_PROJECT: '1' } });
  try {
    const [owner, stranger] = await Promise.all([closed.makePerson(), closed.makePerson()]);
    const own = await closed.makeProject(owner);
    const noise = await sharp({
      create: {
        width: 700,
        height: 700,
        channels: 3,
        background: '#000',
        noise: { type: 'gaussian', mean: 128, sigma: 50 },
      },
    })
      .png()
      .toBuffer();
    const send = () => closed.as(owner, own)('/forum/upload-image', { method: 'POST', ...form(noise) });
    const { url } = read(uploadedImage, await send());
    expectError(await closed.call(url), 401, 'not_authenticated');
    expectError(await closed.as(stranger)(url), 404, 'not_found');
    expect((await closed.as(owner)(url)).status).toBe(200);
    expectError(await send(), 409, 'quota_exceeded');
  } finally {
    await closed.close();
  }
});

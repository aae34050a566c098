import sharp from 'sharp';
import { afterAll, expect, test } from 'vitest';
import { imageProcessing } from '../../../../shared/domain/image-processing/index.ts';
import { formatOf } from '../../../../shared/domain/image-processing/rules.ts';
import { CalibronError } from '../../../../shared/kernel/errors.ts';

const processing = imageProcessing.create({});
afterAll(() => processing.close());

/** Tenths of a second of work. */
const large = await sharp({
  create: {
    width: 4500,
    height: 4500,
    channels: 3,
    background: 'black',
    noise: { type: 'gaussian', mean: 128, sigma: 30 },
  },
})
  .jpeg({ quality: 20 })
  .toBuffer();
const small = await sharp({ create: { width: 40, height: 20, channels: 3, background: 'red' } })
  .png()
  .toBuffer();

test('a format is recognised by the first bytes alone', () => {
  expect(formatOf(Buffer.from('GIF89a…'))).toBe('gif');
  expect(formatOf(Buffer.from('RIFF1234WEBPVP8 '))).toBe('webp');
  expect(formatOf(Buffer.from('RIFF1234WAVE'))).toBeNull();
  expect(formatOf(Buffer.from([0xff, 0xd8, 0xff, 0xe0]))).toBe('jpeg');
  expect(formatOf(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))).toBeNull();
  expect(formatOf(Buffer.alloc(0))).toBeNull();
});

test('an image is drawn as a PNG of the wanted size', async () => {
  const drawn = await processing.fitTo({ user: 'a' }, small, 10);
  expect(await sharp(drawn).metadata()).toMatchObject({ format: 'png', width: 10, height: 5 });
});

test('a file that only begins like a picture does not reach another decoder', async () => {
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
  for (const content of [svg, Buffer.concat([Buffer.from('GIF89a'), svg]), Buffer.from('%PDF-1.4')]) {
    await expect(processing.redraw({ user: 'a' }, content)).rejects.toMatchObject({ code: 'bad_request' });
  }
});

test('a user who fills the queue is refused alone, and another user goes before its queue', async () => {
  const busy = Array.from({ length: 24 }, () => processing.redraw({ user: 'busy' }, large));
  const ends = Promise.allSettled(busy);
  const other = processing.redraw({ user: 'other' }, small);
  const first = await Promise.race([other.then(() => 'other'), busy[8]?.then(() => 'busy')]);
  expect(first).toBe('other');
  const refused = (await ends).flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  expect(refused).toHaveLength(13);
  for (const reason of refused) {
    expect(reason).toBeInstanceOf(CalibronError);
    expect(reason).toMatchObject({ code: 'too_many_requests' });
  }
});

test('an aborted signal ends the work on an image, and the next image is drawn', async () => {
  const caller = new AbortController();
  const share = { user: 'a' };
  const ended = processing.redraw(share, large, caller.signal);
  const waiting = processing.redraw(share, small);
  caller.abort(new Error('timeout'));
  await expect(ended).rejects.toThrow('timeout');
  expect((await waiting).ending).toBe('png');
});

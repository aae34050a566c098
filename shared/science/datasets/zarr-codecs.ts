import { gunzipSync, inflateSync } from 'node:zlib';
import { registry } from 'zarrita';
import { StoredFileProblem } from './stored-variable.ts';

type CodecSource = Parameters<typeof registry.set>[1];
type CodecEntry = Awaited<ReturnType<CodecSource>>;
type ChunkMetadata = Parameters<CodecEntry['fromConfig']>[1];
type Codec = ReturnType<CodecEntry['fromConfig']>;

/** Bytes of the largest number type, and of a checksum that may be packed with the numbers. */
const BYTES_PER_VALUE = 16;
const CHECKSUM_BYTES = 64;

let isGuarded = false;

/**
 * Makes zarrita refuse data that unpack to more than the size of their chunk, because a few kilobytes could fill the
 * memory. If the format states the size, it is checked before unpacking; otherwise Node.js limits the output.
 */
export function guardCodecs(): void {
  if (isGuarded) return;
  isGuarded = true;
  for (const prefix of ['', 'numcodecs.']) {
    guard(`${prefix}blosc`, (packed) => (packed.byteLength < 8 ? null : packed.getUint32(4, true)));
    guard(`${prefix}lz4`, (packed) => (packed.byteLength < 4 ? null : packed.getUint32(0, true)));
    guard(`${prefix}zstd`, zstandardSize);
    replaceDecoder(`${prefix}gzip`, (bytes, limit) => gunzipSync(bytes, { maxOutputLength: limit }));
    replaceDecoder(`${prefix}zlib`, (bytes, limit) => inflateSync(bytes, { maxOutputLength: limit }));
  }
}

function change(name: string, by: (codec: Codec, metadata: ChunkMetadata) => Codec): void {
  const original = registry.get(name);
  if (original === undefined) return;
  registry.set(name, async () => {
    const entry = await original();
    return {
      ...(entry.kind !== undefined && { kind: entry.kind }),
      fromConfig: (config, metadata) => by(entry.fromConfig(config, metadata), metadata),
    };
  });
}

/** @param sizeOf the unpacked size that packed data state, in bytes; null if they state none */
function guard(name: string, sizeOf: (packed: DataView) => number | null): void {
  change(name, (codec, metadata) => ({
    kind: codec.kind,
    encode: (bytes: Uint8Array) => codec.encode(bytes),
    decode(bytes: Uint8Array) {
      const size = sizeOf(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      if (size === null)
        throw new StoredFileProblem(`a chunk that is packed by ${name} does not state its size`);
      if (size > limitOf(metadata)) throw tooLarge();
      return codec.decode(bytes);
    },
  }));
}

function replaceDecoder(name: string, decode: (bytes: Uint8Array, limit: number) => Uint8Array): void {
  change(name, (codec, metadata) => ({
    kind: codec.kind,
    encode: (bytes: Uint8Array) => codec.encode(bytes),
    decode(bytes: Uint8Array) {
      try {
        return new Uint8Array(decode(bytes, limitOf(metadata)));
      } catch (thrown) {
        const isLarge = thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_BUFFER_TOO_LARGE';
        throw isLarge ? tooLarge() : thrown;
      }
    },
  }));
}

function valuesIn({ shape }: ChunkMetadata): number {
  return shape.reduce((total, length) => total * length, 1);
}

function limitOf(metadata: ChunkMetadata): number {
  return BYTES_PER_VALUE * valuesIn(metadata) + CHECKSUM_BYTES;
}

function tooLarge(): StoredFileProblem {
  return new StoredFileProblem('one of its chunks unpacks to more than its size');
}

const ZSTANDARD_MAGIC = 0xfd2fb528;

/** The content size of the first frame: https://datatracker.ietf.org/doc/html/rfc8878#section-3.1.1.1 */
function zstandardSize(packed: DataView): number | null {
  if (packed.byteLength < 6) return null;
  if (packed.getUint32(0, true) !== ZSTANDARD_MAGIC) return null;
  const descriptor = packed.getUint8(4);
  const [flag, isSingle] = [descriptor >> 6, (descriptor & 0x20) !== 0];
  const at = 5 + (isSingle ? 0 : 1) + ([0, 1, 2, 4][descriptor & 3] ?? 0);
  const bytes = [isSingle ? 1 : 0, 2, 4, 8][flag] ?? 0;
  if (bytes === 0 || at + bytes > packed.byteLength) return null;
  if (bytes === 1) return packed.getUint8(at);
  if (bytes === 2) return packed.getUint16(at, true) + 256;
  return bytes === 4 ? packed.getUint32(at, true) : Number(packed.getBigUint64(at, true));
}

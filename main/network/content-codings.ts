import type { Transform } from 'node:stream'
import zlib from 'node:zlib'

const MAX_DECODED_BYTES = 1 << 20
/** Maximum number of codings that are decoded. Otherwise a header could list thousands for an empty body. */
const MAX_CODINGS = 8

/** The codings in a `Content-Encoding` header, outermost first. */
export const codingsNamed = (contentEncoding: string): readonly string[] =>
  contentEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')
    .reverse()

interface Coding {
  /** Decodes a whole body. Throws a RangeError if the result is longer than `maxOutputLength`. */
  whole(bytes: Buffer, maxOutputLength: number): Buffer
  readonly stream: () => Transform
}

/** Options for decoding truncated data as far as possible. */
const LENIENT = { finishFlush: zlib.constants.Z_SYNC_FLUSH }
const LENIENT_BROTLI = { finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH }
const LENIENT_ZSTD = { finishFlush: zlib.constants.ZSTD_e_flush }

const codingWith = <Options extends object>(
  lenient: Options,
  sync: (bytes: Buffer, options: Options & { readonly maxOutputLength: number }) => Buffer,
  stream: (options: Options) => Transform,
): Coding => ({
  whole: (bytes, maxOutputLength) => sync(bytes, { ...lenient, maxOutputLength }),
  stream: () => stream(lenient),
})
const GZIP = codingWith(LENIENT, zlib.gunzipSync, zlib.createGunzip)
const ZLIB = codingWith(LENIENT, zlib.inflateSync, zlib.createInflate)
const RAW_DEFLATE = codingWith(LENIENT, zlib.inflateRawSync, zlib.createInflateRaw)
const BROTLI = codingWith(LENIENT_BROTLI, zlib.brotliDecompressSync, zlib.createBrotliDecompress)
const ZSTD = codingWith(LENIENT_ZSTD, zlib.zstdDecompressSync, zlib.createZstdDecompress)

/** The coding of a body that begins with `bytes`. `undefined` if unknown. */
function codingOf(name: string, bytes: Buffer): Coding | undefined {
  switch (name) {
    case 'gzip':
    case 'x-gzip':
      return GZIP
    case 'deflate':
      // Some servers omit the zlib header (RFC 9110, section 8.4.1.2).
      return bytes.length > 1 && bytes.readUInt16BE() % 31 === 0 ? ZLIB : RAW_DEFLATE
    case 'br':
      return BROTLI
    case 'zstd':
      return ZSTD
    default:
      return undefined
  }
}

/** The decoded body. `unknown` if a coding is unknown or the bytes do not match it. */
export function decoded(
  bytes: Buffer,
  codings: readonly string[],
  maxBytes = MAX_DECODED_BYTES,
): Buffer | 'unknown' | 'too-large' {
  if (codings.length > MAX_CODINGS) return 'unknown'
  try {
    let plain = bytes
    for (const name of codings) {
      const coding = codingOf(name, plain)
      if (coding === undefined) return 'unknown'
      plain = coding.whole(plain, maxBytes)
    }
    return plain
  } catch (error) {
    return error instanceof RangeError ? 'too-large' : 'unknown'
  }
}

/** The decoders for a body, in order. `undefined` if a coding is unknown. */
export function decodersOf(codings: readonly string[], bytes: Buffer): Transform[] | undefined {
  const known = codings.map((name) => codingOf(name, bytes))
  return known.includes(undefined) ? undefined : known.flatMap((coding) => coding?.stream() ?? [])
}

/** A body or its beginning as text, decoded if possible. */
export function textIn(bytes: Buffer, codings: readonly string[]): string {
  const plain = decoded(bytes, codings)
  return (typeof plain === 'string' ? bytes : plain).toString('utf8')
}

import { crc32, deflateSync } from 'node:zlib'

/** The pixels of a square image, four bytes each: red, green, blue, alpha (not premultiplied). */
export interface Picture {
  readonly size: number
  readonly rgba: Uint8Array
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const EIGHT_BIT = 8
const TRUE_COLOUR_WITH_ALPHA = 6

/** Encodes a minimal PNG: the header chunk, one data chunk with unfiltered rows, and the end chunk. */
export function png({ size, rgba }: Picture): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  header[8] = EIGHT_BIT
  header[9] = TRUE_COLOUR_WITH_ALPHA
  const stride = size * 4
  const rows = Buffer.alloc(size * (stride + 1))
  for (let y = 0; y < size; y += 1)
    rows.set(rgba.subarray(y * stride, (y + 1) * stride), y * (stride + 1) + 1)
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(typed.length + 8)
  framed.writeUInt32BE(data.length, 0)
  framed.set(typed, 4)
  framed.writeUInt32BE(crc32(typed), typed.length + 4)
  return framed
}

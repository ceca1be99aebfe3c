/** The icon files of Windows and macOS: lists of PNGs after a small header. */

/** A square PNG with its size in pixels. */
export interface SizedPng {
  readonly size: number
  readonly bytes: Buffer
}

const ICO_ENTRY_BYTES = 16
const ICO_HEADER_BYTES = 6
/** Largest size in pixels. Stored as 0, because 256 does not fit into the field's single byte. */
const ICO_LARGEST = 256

/** Builds a Windows icon file. */
export function ico(pictures: readonly SizedPng[]): Buffer {
  const header = Buffer.alloc(ICO_HEADER_BYTES + pictures.length * ICO_ENTRY_BYTES)
  header.writeUInt16LE(1, 2)
  header.writeUInt16LE(pictures.length, 4)
  let offset = header.length
  for (const [index, { size, bytes }] of pictures.entries()) {
    const at = ICO_HEADER_BYTES + index * ICO_ENTRY_BYTES
    header[at] = size % ICO_LARGEST
    header[at + 1] = size % ICO_LARGEST
    header.writeUInt16LE(1, at + 4)
    header.writeUInt16LE(32, at + 6)
    header.writeUInt32LE(bytes.length, at + 8)
    header.writeUInt32LE(offset, at + 12)
    offset += bytes.length
  }
  return Buffer.concat([header, ...pictures.map(({ bytes }) => bytes)])
}

/** Type codes of PNG images in a macOS icon file, by size in pixels. */
const ICNS_TYPES: Readonly<Record<number, string>> = {
  128: 'ic07',
  256: 'ic08',
  512: 'ic09',
  1024: 'ic10',
}

/** Builds a macOS icon file. */
export function icns(pictures: readonly SizedPng[]): Buffer {
  const parts = pictures.map(({ size, bytes }) => {
    const type = ICNS_TYPES[size]
    if (type === undefined) throw new Error(`icns has no picture of ${size} pixels`)
    return part(type, bytes)
  })
  return part('icns', Buffer.concat(parts))
}

function part(type: string, bytes: Buffer): Buffer {
  const header = Buffer.alloc(8, type, 'latin1')
  header.writeUInt32BE(bytes.length + header.length, 4)
  return Buffer.concat([header, bytes])
}

import { readFileSync } from 'node:fs'
import { inflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { Severity } from '../../../../../app/contract/severity.ts'
import { appPicture, trayPicture } from '../../../../../main/hosts/desktop/icons/draw.ts'
import { icns, ico } from '../../../../../main/hosts/desktop/icons/icon-files.ts'
import { type Picture, png } from '../../../../../main/hosts/desktop/icons/png.ts'

const file = (name: string) =>
  readFileSync(new URL(`../../../../../main/hosts/desktop/icons/${name}`, import.meta.url))

/** The pixels of a PNG as `png` writes them: one IDAT, unfiltered rows. */
function pixels(bytes: Buffer): Picture {
  const size = bytes.readUInt32BE(16)
  const at = bytes.indexOf('IDAT')
  const rows = inflateSync(bytes.subarray(at + 4, at + 4 + bytes.readUInt32BE(at - 4)))
  const rgba = new Uint8Array(size * size * 4)
  for (let y = 0; y < size; y += 1)
    rgba.set(rows.subarray(y * (size * 4 + 1) + 1, (y + 1) * (size * 4 + 1)), y * size * 4)
  return { size, rgba }
}

describe('the icons', () => {
  it('match the script that makes them', () => {
    const kept = pixels(file('icon.png'))
    expect(kept.size).toBe(512)
    expect(Buffer.compare(kept.rgba, appPicture(512).rgba)).toBe(0)
    // The largest picture is the last of either file.
    const [inIco, inIcns] = ['icon.ico', 'icon.icns'].map((name) => {
      const bytes = file(name)
      return pixels(bytes.subarray(bytes.lastIndexOf(Buffer.from([0x89, 0x50, 0x4e, 0x47]))))
    })
    expect(inIco?.size).toBe(256)
    expect(inIcns?.size).toBe(1024)
    expect(Buffer.compare(inIco?.rgba ?? Buffer.alloc(0), appPicture(256).rgba)).toBe(0)
  })

  it('of the tray have different shapes, distinguishable without colour', () => {
    const severities: Severity[] = ['ok', 'warning', 'critical', 'unknown']
    for (const isTemplate of [false, true]) {
      const alphas = severities.map((severity) => {
        const { rgba } = trayPicture(severity, 16, isTemplate)
        return rgba.filter((_, index) => index % 4 === 3).join()
      })
      expect(new Set(alphas).size).toBe(severities.length)
    }
  })

  it('of macOS’s menu bar are black, with the alpha that the system colours', () => {
    const { rgba } = trayPicture('critical', 16, true)
    expect(rgba.some((value, index) => index % 4 !== 3 && value !== 0)).toBe(false)
  })

  it('list their pictures where a reader expects them', () => {
    const bytes = png(trayPicture('ok', 16, false))
    const one = ico([{ size: 256, bytes }])
    expect([one.readUInt16LE(4), one[6], one.readUInt32LE(14), one.readUInt32LE(18)]).toEqual([
      1,
      0,
      bytes.length,
      22,
    ])
    const mac = icns([{ size: 128, bytes }])
    expect(mac.subarray(0, 4).toString()).toBe('icns')
    expect(mac.readUInt32BE(4)).toBe(mac.length)
    expect(mac.subarray(8, 12).toString()).toBe('ic07')
  })
})

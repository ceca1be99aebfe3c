import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { appPicture } from './draw.ts'
import { icns, ico, type SizedPng } from './icon-files.ts'
import { png } from './png.ts'

/**
 * `node main/hosts/desktop/icons/make-icons.ts` writes the icon files for electron-builder to this folder.
 * Tray icons are drawn at run time.
 */

const ICO_SIZES = [16, 24, 32, 48, 64, 128, 256]
const ICNS_SIZES = [128, 256, 512, 1024]
const LINUX_SIZE = 512

const sized = (size: number): SizedPng => ({ size, bytes: png(appPicture(size)) })
const write = (name: string, bytes: Buffer) => writeFileSync(join(import.meta.dirname, name), bytes)

write('icon.png', sized(LINUX_SIZE).bytes)
write('icon.ico', ico(ICO_SIZES.map(sized)))
write('icon.icns', icns(ICNS_SIZES.map(sized)))

import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock, OpenUrl } from '../ports/ports.ts'
import { PRIVATE_MODE } from './private-files.ts'

export interface AddressFileDeps {
  /** The data folder, which no other user may read. */
  readonly folder: string
  readonly clock: Pick<Clock, 'after'>
  /**
   * Cryptographically strong random bytes. The file's name is visible in an argument list, so it must reveal
   * nothing.
   */
  readonly randomBytes: (size: number) => Uint8Array
  /** Opens a file in the person's browser. */
  readonly openFile: (path: string) => Promise<void>
}

/** Maximum lifetime of the file in milliseconds. A browser that has to start first may need this long. */
export const ADDRESS_FILE_MS = 60_000

const NAME = /^open-[\w-]+\.html$/

/**
 * Opens addresses that contain a secret, such as a single-use code or a sign-in's `state`.
 *
 * A browser gets an address in its argument list, which every user of the machine can read. So the browser
 * gets the path of a private file that redirects to the address. The file is deleted when the address has
 * been used, after a minute, or if it can't be written or opened.
 */
export function openByFile({ folder, clock, randomBytes, openFile }: AddressFileDeps): OpenUrl {
  // Deletes the files of a killed process. Their addresses no longer work.
  for (const name of readdirSync(folder)) if (NAME.test(name)) rmSync(join(folder, name), { force: true })
  return async (address) => {
    const path = join(folder, `open-${Buffer.from(randomBytes(12)).toString('base64url')}.html`)
    const remove = () => {
      cancel()
      rmSync(path, { force: true })
    }
    const cancel = clock.after(ADDRESS_FILE_MS, remove)
    try {
      writeFileSync(path, pageLeadingTo(address), { flag: 'wx', mode: PRIVATE_MODE })
      await openFile(path)
    } catch (error) {
      remove()
      throw error
    }
    return remove
  }
}

/**
 * A page that redirects to the address. `replace` leaves the file out of the tab's history. The rest is for
 * browsers without JavaScript.
 */
function pageLeadingTo(address: string): string {
  const inScript = JSON.stringify(address).replaceAll('<', '\\u003c')
  const inMarkup = htmlText(address)
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<title>Headroom</title>
<script>location.replace(${inScript})</script>
<noscript><meta http-equiv="refresh" content="0;url=${inMarkup}"></noscript>
<p><a href="${inMarkup}">Continue</a></p>
`
}

/** A text as HTML, for content and for quoted attributes. */
export const htmlText = (text: string): string =>
  text.replace(/[&<>"']/g, (letter) => `&#${letter.codePointAt(0)};`)

import { createHash } from 'node:crypto'
import { htmlText } from '../storage/address-file.ts'

/**
 * The pages in a browser tab at the end of a sign-in. They contain no script, no external resource and no
 * text from the URL.
 */

const STYLE = `:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto 0;padding:0 1.5rem}
h1{font-size:1.25rem;margin:0 0 .5rem}
p{margin:0 0 .5rem}`

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
  connection: 'close',
}

export interface RedirectPage {
  readonly status: number
  readonly title: string
  readonly text: string
}

export const SIGNED_IN: RedirectPage = {
  status: 200,
  title: 'Signed in',
  text: 'Close this tab and return to Headroom.',
}

export const WRONG_STATE: RedirectPage = {
  status: 400,
  title: 'This response belongs to another sign-in',
  text: 'Continue in the tab that Headroom opened last, or start over.',
}

export const ALREADY_USED: RedirectPage = {
  status: 409,
  title: 'This sign-in is already complete',
  text: 'Return to Headroom.',
}

export const NOT_HERE: RedirectPage = {
  status: 404,
  title: 'Not a sign-in page',
  text: 'Headroom waits at this address for a sign-in to finish.',
}

/** A failure page. `message` is one of our own texts. Its first sentence becomes the title. */
export function failedPage(message: string): RedirectPage {
  const end = message.indexOf('. ')
  const [title, text] = end < 0 ? [message, ''] : [message.slice(0, end), message.slice(end + 2)]
  return { status: 200, title, text: `${text} Return to Headroom to try again.`.trim() }
}

export const pageText = ({ title, text }: RedirectPage): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${htmlText(title)} · Headroom</title><style>${STYLE}</style><h1>${htmlText(title)}</h1><p>${htmlText(text)}</p></html>\n`

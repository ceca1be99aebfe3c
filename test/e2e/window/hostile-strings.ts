/** Code that sets a mark on the page if it runs. The test looks for that mark. */
const RUN = "document.documentElement.dataset['ran']='yes'"

/** Texts that some page once treated as more than text. */
export const HOSTILE: Readonly<Record<string, string>> = {
  'a script': `<script>${RUN}</script>`,
  'an image that does not load': `<img src=x onerror="${RUN}">`,
  'a drawing': `<svg onload="${RUN}"><animate onbegin="${RUN}" attributeName=x dur=1s /></svg>`,
  'a frame': `<iframe srcdoc="<script>parent.${RUN}</script>"></iframe><object data="javascript:${RUN}"></object>`,
  'a link and a form': `<a href="javascript:${RUN}">x</a><form action="//evil.test"><button autofocus onfocus="${RUN}">`,
  'a page that leads away': `<meta http-equiv="refresh" content="0;url=//evil.test"><base href="//evil.test">`,
  'an address that is code': `javascript:${RUN}//`,
  'an address that is a page': `data:text/html,<script>opener.${RUN}</script>`,
  'the end of what it stands in': `'"\`</span></title></style></textarea>--><img src=x onerror=${RUN}>`,
  'a template': `{{constructor.constructor("${RUN}")()}}\${${RUN}}<%= ${RUN} %>#{x}&lt;b&gt;&#0;`,
  'letters that turn the direction': '\u202e\u2067gnp.x\u2069\u202c\u200f\u061c',
  'what is no letter': '\u0000\u0007\u001b[31m\u007f\u0085\u2028\ufeff\ufffe\ud800',
  // No part of the text repeats, because a search for it would take minutes otherwise.
  'ten thousand letters': Array.from({ length: 1250 }, (_, index) => `W${1_000_000 + index}`).join(''),
}

/**
 * Fields whose values the app itself sets and compares. Another value would be another state instead of
 * another text.
 */
const OUR_OWN = new Set([
  'basis',
  'code',
  'confidence',
  'environment',
  'id',
  'keystore',
  'kind',
  'model',
  'outcome',
  'profile',
  'reasonCode',
  'severity',
  'signIn',
  'source',
  'state',
  'stored',
  'stream',
  'url',
])
const ROW_VERDICTS = new Set(['not-seen', 'idle', 'lasts', 'near-limit', 'runs-out', 'blocked'])

/**
 * Copies of values with the hostile text in every text of them. The same text always becomes the same text,
 * so that references still match.
 */
export class Tainted {
  readonly #text: string
  readonly #made = new Map<string, string>()

  constructor(text: string) {
    this.#text = text
  }

  of<T>(said: T): T {
    return this.#tainted('', said) as T
  }

  text(field: string, said: string): string {
    // The hostile text comes first, because an address can be code only at its start. The rest identifies the
    // field.
    const made = `${this.#text} [${said}]`
    this.#made.set(`${field}: ${said}`, made)
    return made
  }

  /** All texts made so far, by the field and its original text. */
  get made(): ReadonlyMap<string, string> {
    return this.#made
  }

  #tainted(field: string, said: unknown): unknown {
    if (typeof said === 'string') {
      const isOurs = OUR_OWN.has(field) || (field === 'verdict' && ROW_VERDICTS.has(said))
      return isOurs ? said : this.text(field, said)
    }
    if (Array.isArray(said)) return said.map((part: unknown) => this.#tainted(field, part))
    if (typeof said !== 'object' || said === null) return said
    const isByName = field === 'headers' || field === 'perCategory'
    return Object.fromEntries(
      Object.entries(said).map(([name, part]) => [
        isByName ? this.text(field, name) : name,
        this.#tainted(name, part),
      ]),
    )
  }
}

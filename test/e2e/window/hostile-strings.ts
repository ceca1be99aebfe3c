/** Leaves a mark on the page where it runs, for which the page is searched afterwards. */
const RUN = "document.documentElement.dataset['ran']='yes'"

/** Text that one page or another took for more than text. */
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
  // Never the same again, or looking for it would take minutes.
  'ten thousand letters': Array.from({ length: 1250 }, (_, index) => `W${1_000_000 + index}`).join(''),
}

/**
 * Made by the app itself, and compared by it: anything else here would be another state, not another text.
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
 * `said` with what is hostile in every text; relations hold, as the same text becomes the same text
 * everywhere.
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
    // The following text identifies the field: an address is code only at the start of the text.
    const made = `${this.#text} [${said}]`
    this.#made.set(`${field}: ${said}`, made)
    return made
  }

  /** Every text made so far, by field and by what it was before. */
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

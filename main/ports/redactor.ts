/** The text in place of a secret. */
export const REDACTED = '[redacted]'
const MAX_DEPTH = 6
/**
 * Minimum length of a secret. Shorter secrets occur in ordinary words. Hiding them would garble every line
 * and reveal the secret.
 */
const MIN_SECRET = 4

const SECRET_KEY =
  /token|secret|passphrase|password|authori[sz]ation|bearer|cookie|credential|verifier|^(?:auth_?)?code$|api_?key/i
/** Names of fields that are never logged. */
const OMITTED_KEY = /headers?$|body$/i

/**
 * Replaces secrets that have a recognisable form: bearer headers, JWTs, the single-use code, and fields of
 * forms and queries. Takes linear time, because no pattern rereads the same characters from several starting
 * points.
 */
const SECRET_SHAPES: readonly ((text: string) => string)[] = [
  (text) => text.replace(/\b(bearer|basic)\s+[\w.~+/=-]+/gi, `$1 ${REDACTED}`),
  // The pattern also matches a word without a second part, so that the word is not scanned again. Such a word
  // is not a JWT and is not replaced.
  (text) =>
    text.replace(/\beyJ[\w-]+(\.[\w-]+)?(?:\.[\w-]+)?/g, (word, second) =>
      second === undefined ? word : REDACTED,
    ),
  (text) => text.replace(/([?#&]code=)[^\s"&]+/gi, `$1${REDACTED}`),
  (text) =>
    text.replace(
      /((?:token|secret|password|passphrase|verifier)(?:=|"\s*:\s*"))[^\s"&,;}]+/gi,
      `$1${REDACTED}`,
    ),
]

/** The known secrets, and their removal from text. */
export interface Secrets {
  /** Adds a secret. From now on, it is removed from all text. */
  hide(secret: string): void
  /** Removes known secrets from the text, and parts of a secret that are too long to occur by chance. */
  clean(text: string): string
}

/**
 * Maximum number of secrets: the tokens of a dozen keys over some hours. Each refresh adds the current tokens
 * again, so that newer secrets do not displace them.
 */
const MAX_SECRETS = 128
const RUN = 12
const STRIDE = 5

/** The registry of all secrets. Removes them from texts that are shown, stored or logged. */
export class Redactor implements Secrets {
  readonly #maxSecrets: number
  /** The spellings of each secret, most recently added last. */
  readonly #spellings = new Map<string, readonly string[]>()
  /**
   * Substrings of `RUN` characters that start at every `STRIDE`th character of a spelling. Any part of a
   * spelling with at least `RUN + STRIDE - 1` characters contains one of these substrings.
   */
  #runs: ReadonlyMap<string, readonly (readonly [spelling: string, at: number])[]> | undefined

  constructor(maxSecrets = MAX_SECRETS) {
    this.#maxSecrets = maxSecrets
  }

  /** Adds a secret in all its spellings, such as the percent-encoded one. */
  hide(secret: string): void {
    if (secret.length < MIN_SECRET) return
    const known = this.#spellings.delete(secret)
    this.#spellings.set(secret, spellingsOf(secret))
    if (known) return
    this.#runs = undefined
    if (this.#spellings.size <= this.#maxSecrets) return
    for (const oldest of this.#spellings.keys()) {
      this.#spellings.delete(oldest)
      return
    }
  }

  clean(text: string): string {
    return this.#partless(this.#known(text))
  }

  text(line: string): string {
    return this.#shapes(this.clean(line))
  }

  fields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
    return this.#object(fields, 0)
  }

  /** Replaces known secrets, longest first, because one secret can be the start of a longer one. */
  #known(line: string): string {
    const longestFirst = [...this.#spellings.values()].flat().sort((a, b) => b.length - a.length)
    return longestFirst.reduce((text, secret) => text.replaceAll(secret, REDACTED), line)
  }

  #partless(text: string): string {
    if (text.length < RUN || this.#spellings.size === 0) return text
    this.#runs ??= runsOf([...this.#spellings.values()].flat())
    let clean = ''
    let from = 0
    for (let at = 0; at + RUN <= text.length; at += 1) {
      const places = this.#runs.get(text.slice(at, at + RUN)) ?? []
      const [start, end] = widest(text, at, places)
      if (end <= start) continue
      clean += `${text.slice(from, Math.max(from, start))}${REDACTED}`
      from = end
      at = end - 1
    }
    return from === 0 ? text : clean + text.slice(from)
  }

  #shapes(line: string): string {
    return SECRET_SHAPES.reduce((text, replace) => replace(text), line)
  }

  #object(value: object, depth: number): Record<string, unknown> {
    const clean: Record<string, unknown> = {}
    for (const [key, inner] of Object.entries(value)) {
      if (OMITTED_KEY.test(key)) continue
      clean[this.text(key)] =
        SECRET_KEY.test(key) && isHolding(inner) ? REDACTED : this.#value(inner, depth + 1)
    }
    return clean
  }

  #value(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.text(value)
    if (typeof value === 'bigint') return this.text(String(value))
    if (value instanceof Error) return this.text(`${value.name}: ${value.message}`)
    if (typeof value !== 'object' || value === null) return value
    if (depth > MAX_DEPTH) return '[deep]'
    if (Array.isArray(value)) return value.map((inner) => this.#value(inner, depth + 1))
    return this.#object(value, depth)
  }
}

/**
 * Whether a field's value may contain a secret. Numbers and booleans can't: `tokensRefreshed: 3` is a count,
 * and `hasSecret: true` is a flag.
 */
function isHolding(value: unknown): boolean {
  return value !== undefined && value !== null && typeof value !== 'number' && typeof value !== 'boolean'
}

type Places = readonly (readonly [spelling: string, at: number])[]

function runsOf(spellings: readonly string[]): ReadonlyMap<string, Places> {
  const runs = new Map<string, [string, number][]>()
  for (const spelling of spellings) {
    for (let at = 0; at + RUN <= spelling.length; at += STRIDE) {
      const run = spelling.slice(at, at + RUN)
      const places = runs.get(run) ?? []
      runs.set(run, places)
      // If a run occurs several times in a spelling, only its first and last positions are kept. In a
      // repetitive secret, these two give the longest matches.
      if (places.at(-2)?.[0] === spelling) places.pop()
      places.push([spelling, at])
    }
  }
  return runs
}

/**
 * Finds the longest match around a run, which has `RUN` characters. The run starts at `at` in `text`, and
 * `places` lists where it occurs in the spellings.
 */
function widest(text: string, at: number, places: Places): readonly [start: number, end: number] {
  let widestStart = at
  let widestEnd = at
  for (const [spelling, place] of places) {
    let before = 0
    while (before < at && before < place && text[at - before - 1] === spelling[place - before - 1])
      before += 1
    let after = RUN
    while (at + after < text.length && text[at + after] === spelling[place + after]) after += 1
    widestStart = Math.min(widestStart, at - before)
    widestEnd = Math.max(widestEnd, at + after)
  }
  return [widestStart, widestEnd]
}

/** The distinct spellings of a secret in plain text, URLs, JSON and host names. */
export function spellingsOf(secret: string): readonly string[] {
  const inUrl = encodeURIComponent(secret.toWellFormed())
  const inJson = JSON.stringify(secret).slice(1, -1)
  return [
    ...new Set([
      secret,
      inUrl,
      inUrl.replace(/%[\dA-F]{2}/g, (code) => code.toLowerCase()),
      inJson,
      inJson.replaceAll('/', '\\/'),
      secret.toLowerCase(),
    ]),
  ]
}

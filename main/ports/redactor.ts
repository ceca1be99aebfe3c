const REDACTED = '[redacted]'
const MOST_DEPTH = 6
/** Shorter ones are parts of ordinary words: hiding them would shred every line and show where they were. */
const LEAST_SECRET = 4

const SECRET_KEY =
  /token|secret|passphrase|password|authori[sz]ation|bearer|cookie|credential|verifier|^(?:auth_?)?code$|api_?key/i
/** Never logged at all, whatever they hold. */
const OMITTED_KEY = /headers?$|body$/i

/** Shapes of secrets in running text: bearer headers, form and query fields, JWTs, the single-use code. */
const SECRET_SHAPES: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer|basic)\s+[\w.~+/=-]+/gi, `$1 ${REDACTED}`],
  [/\beyJ[\w-]+\.[\w-]+(?:\.[\w-]+)?/g, REDACTED],
  [/([?#&]code=)[^\s"&]+/gi, `$1${REDACTED}`],
  [/([\w-]*(?:token|secret|password|passphrase|verifier)(?:=|"\s*:\s*"))[^\s"&,;}]+/gi, `$1${REDACTED}`],
]

/** The one place that decides what of a log line may be written. */
export class Redactor {
  readonly #secrets = new Set<string>()

  /** A known secret is taken out wherever it appears, also percent-encoded. */
  hide(secret: string): void {
    if (secret.length < LEAST_SECRET) return
    for (const form of [
      secret,
      encodeURIComponent(secret.toWellFormed()),
      JSON.stringify(secret).slice(1, -1),
    ]) {
      this.#secrets.add(form)
    }
  }

  text(line: string): string {
    return this.#shapes(this.#known(line))
  }

  fields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
    return this.#object(fields, 0)
  }

  /** Longest first: a secret may be the beginning of another. */
  #known(line: string): string {
    const longestFirst = [...this.#secrets].sort((a, b) => b.length - a.length)
    return longestFirst.reduce((text, secret) => text.replaceAll(secret, REDACTED), line)
  }

  #shapes(line: string): string {
    return SECRET_SHAPES.reduce((text, [shape, replacement]) => text.replace(shape, replacement), line)
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
    if (depth > MOST_DEPTH) return '[deep]'
    if (Array.isArray(value)) return value.map((inner) => this.#value(inner, depth + 1))
    return this.#object(value, depth)
  }
}

/** `tokensRefreshed: 3` is a count and `hasSecret: true` a fact; neither holds a secret. */
function isHolding(value: unknown): boolean {
  return value !== undefined && value !== null && typeof value !== 'number' && typeof value !== 'boolean'
}

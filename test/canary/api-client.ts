import type { Trace } from './scan.ts'

/** A browser window as a program: stores every response and push, byte for byte. */
export class ApiClient {
  readonly heard: Trace[] = []
  readonly #origin: string
  readonly #bearer: string
  readonly #end = new AbortController()

  private constructor(origin: string, bearer: string) {
    this.#origin = origin
    this.#bearer = bearer
  }

  static async open(readyUrl: string): Promise<ApiClient> {
    const { origin, hash } = new URL(readyUrl)
    const answer = await fetch(`${origin}/api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: JSON.stringify({ code: hash.slice('#code='.length) }),
    })
    const { bearer } = (await answer.json()) as { readonly bearer: string }
    const client = new ApiClient(origin, bearer)
    void client.#listen()
    return client
  }

  /** The bearer of this window's session. */
  get bearer(): string {
    return this.#bearer
  }

  async ask(name: string, arg: unknown = null): Promise<unknown> {
    const text = await this.send(`/api/command/${name}`, JSON.stringify(arg))
    return (JSON.parse(text) as { readonly value?: unknown }).value
  }

  async send(path: string, body: string): Promise<string> {
    const answer = await fetch(`${this.#origin}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${this.#bearer}`,
        origin: this.#origin,
      },
      body,
    })
    const text = await answer.text()
    const headers = JSON.stringify([...answer.headers])
    this.heard.push({ where: `the answer to ${path.slice(0, 40)}`, bytes: `${headers}\n${text}` })
    return text
  }

  /** A plain GET, with the bearer. */
  async read(path: string): Promise<void> {
    const answer = await fetch(`${this.#origin}${path}`, {
      headers: { authorization: `Bearer ${this.#bearer}` },
    })
    const headers = JSON.stringify([...answer.headers])
    this.heard.push({
      where: `what ${path.slice(0, 12)} answered`,
      bytes: `${headers}\n${await answer.text()}`,
    })
  }

  close(): void {
    this.#end.abort()
  }

  async #listen(): Promise<void> {
    try {
      const answer = await fetch(`${this.#origin}/api/pushes`, {
        headers: { authorization: `Bearer ${this.#bearer}`, origin: this.#origin },
        signal: this.#end.signal,
      })
      for await (const part of answer.body ?? []) this.heard.push({ where: 'a push', bytes: part })
    } catch {
      // The app ended, or the test did.
    }
  }
}

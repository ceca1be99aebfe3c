import type { SimulatorServer } from '../../main/simulator/server.ts'

/** Another program on the same key: it signs in and spends, as a trader's own tools do. */
export class OtherProgram {
  readonly #origin: string
  readonly #token: string

  private constructor(origin: string, token: string) {
    this.#origin = origin
    this.#token = token
  }

  /** For a service whose keys keep their refresh token, so that Headroom and this program can both use it. */
  static async signIn({ origin, service }: SimulatorServer): Promise<OtherProgram> {
    const { clientId, refreshToken } = service.options
    const answer = await fetch(`${origin}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        client_id: clientId,
        refresh_token: refreshToken,
      }),
    })
    const { access_token: token } = (await answer.json()) as { access_token: string }
    return new OtherProgram(origin, token)
  }

  /** `count` requests, one after the other; returns the last status. */
  async spend(path: string, count: number): Promise<number> {
    let status = 0
    for (let made = 0; made < count; made += 1) {
      const answer = await fetch(`${this.#origin}${path}`, {
        headers: { authorization: `Bearer ${this.#token}` },
      })
      await answer.arrayBuffer()
      status = answer.status
    }
    return status
  }
}

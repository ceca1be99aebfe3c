import type { SimulatorServer } from '../../main/simulator/server.ts'
import { accessTokenOf } from '../main/simulator/refreshed.ts'

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
    return new OtherProgram(origin, await accessTokenOf(origin, service.options))
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

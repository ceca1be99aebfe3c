/** The parts of the package that the tests use, because the package has no types. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http'

  export class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>)
    callback(): RequestListener
    readonly Client: { find(id: string): Promise<unknown> }
    readonly Grant: new (
      properties: Record<string, unknown>,
    ) => {
      addOIDCScope(scope: string): void
      save(): Promise<string>
    }
    readonly RefreshToken: (new (
      properties: Record<string, unknown>,
    ) => { save(): Promise<string> }) & {
      find(token: string): Promise<{ readonly consumed?: unknown } | undefined>
    }
  }
}

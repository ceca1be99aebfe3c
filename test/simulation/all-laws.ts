import { AlertLaws } from './alert-laws.ts'
import { Laws } from './laws.ts'
import { RevocationLaws } from './revocation-laws.ts'
import { TokenLaws } from './token-laws.ts'
import { TruthLaws } from './truth-laws.ts'
import type { OnDisk } from './virtual-disk.ts'

/** The laws of one world, each with what it remembers. */
export class AllLaws {
  readonly quotas: Laws
  readonly tokens = new TokenLaws()
  readonly revocation = new RevocationLaws()
  readonly alerts = new AlertLaws()
  readonly truth = new TruthLaws()

  constructor(secrets: readonly string[]) {
    this.quotas = new Laws(secrets)
  }

  get checked(): number {
    const { quotas, tokens, revocation, alerts, truth } = this
    return quotas.checked + tokens.checked + revocation.checked + alerts.checked + truth.checked
  }

  /** Another process goes on with what is on the disk. */
  restarted(disk: OnDisk, monotonicMs: number): void {
    this.quotas.restarted()
    this.alerts.restarted()
    this.truth.restarted()
    this.tokens.restarted(disk)
    this.revocation.restarted(disk, monotonicMs)
  }

  /** A person signed in, and this is the token that came of it. */
  signedIn(refreshToken: string): void {
    this.quotas.learnFrom(`"refresh_token":"${refreshToken}"`)
    this.tokens.signedIn(refreshToken)
    this.revocation.signedIn()
  }
}

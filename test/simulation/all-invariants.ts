import { AlertInvariants } from './alert-invariants.ts'
import { QuotaInvariants } from './quota-invariants.ts'
import { RevocationInvariants } from './revocation-invariants.ts'
import { TokenInvariants } from './token-invariants.ts'
import { TruthInvariants } from './truth-invariants.ts'
import type { OnDisk } from './virtual-disk.ts'

/** The invariants of one world, each with its own state. */
export class AllInvariants {
  readonly quotas: QuotaInvariants
  readonly tokens = new TokenInvariants()
  readonly revocation = new RevocationInvariants()
  readonly alerts = new AlertInvariants()
  readonly truth = new TruthInvariants()

  constructor(secrets: readonly string[]) {
    this.quotas = new QuotaInvariants(secrets)
  }

  get checked(): number {
    const { quotas, tokens, revocation, alerts, truth } = this
    return quotas.checked + tokens.checked + revocation.checked + alerts.checked + truth.checked
  }

  /** To be called when another process continues with the data on disk. */
  restarted(disk: OnDisk, monotonicMs: number): void {
    this.quotas.restarted()
    this.alerts.restarted()
    this.truth.restarted()
    this.tokens.restarted(disk)
    this.revocation.restarted(disk, monotonicMs)
  }

  /** A user signed in and received this token. */
  signedIn(refreshToken: string): void {
    this.quotas.learnFrom(`"refresh_token":"${refreshToken}"`)
    this.tokens.signedIn(refreshToken)
    this.revocation.signedIn()
  }
}

import type { SimulatedService } from '../../main/simulator/simulated-service.ts'
import type { AllInvariants } from './all-invariants.ts'
import type { Machine } from './machine.ts'
import type { UserAction } from './story.ts'
import type { VirtualClock } from './virtual-clock.ts'
import type { VirtualProcess } from './virtual-process.ts'

const SCOPE = 'openid offline_access MarketData ReadAccount Matrix OptionSpreads'

export interface UserDeps {
  readonly clock: VirtualClock
  readonly machine: Machine
  readonly service: SimulatedService
  readonly invariants: AllInvariants
  readonly profile: string
}

/** The person at the window. */
export class User {
  readonly #deps: UserDeps
  /** The process whose window shows the dialog. If the process dies, the dialog is gone. */
  #signsInAt: VirtualProcess | undefined

  constructor(deps: UserDeps) {
    this.#deps = deps
  }

  does(what: UserAction): void {
    const { clock, machine, invariants, profile } = this.#deps
    const { monitor, alerts } = machine.process
    const snapshot = monitor.snapshot(profile)
    if (snapshot === undefined) return
    switch (what.kind) {
      case 'open-stream':
        monitor.withProfile(profile, ({ parts }) => parts.streams.open(what.request))
        break
      case 'close-stream': {
        const open = snapshot.streams.filter(({ state }) => state !== 'closed')
        if (open.length > 1) monitor.withProfile(profile, ({ parts }) => parts.streams.close(open.at(-1)!.id))
        break
      }
      case 'try-now':
        invariants.tokens.triedNow()
        monitor.withProfile(profile, (session) => session.tryNow())
        break
      case 'revoke':
        // An expired session can't be revoked. The app reports that, and the session stays expired.
        if (snapshot.refresh.state !== 'sign-in-required') invariants.revocation.asked(clock.monotonicMs())
        void monitor.withProfile(profile, (session) => session.revoke())
        break
      case 'sign-in': {
        const { state } = snapshot.refresh
        const isNeeded = state === 'sign-in-required' || state === 'revoked' || state === 'revoke-unconfirmed'
        if (isNeeded && this.#signsInAt !== machine.process) void this.#signIn()
        break
      }
      case 'dismiss-alert': {
        const alert = alerts.open().find(({ dismissed }) => !dismissed)
        if (alert) invariants.alerts.dismissing(alert.id, () => alerts.dismiss(alert.id))
      }
    }
  }

  /** As in the dialog, a waiting revocation is cancelled first. */
  async #signIn(): Promise<void> {
    const { clock, machine, service, invariants, profile: id } = this.#deps
    const { process } = machine
    this.#signsInAt = process
    const profile = process.monitor.profile(id)
    if (profile !== undefined) await process.monitor.suspendRevocationRetry(profile)
    if (this.#signsInAt === process) this.#signsInAt = undefined
    if (profile === undefined || process.isOver) return
    const { refreshToken } = service.tokens.signIn(SCOPE, false, clock.worldMs())
    if (refreshToken === undefined) throw new Error('the sign-in gave no refresh token')
    invariants.signedIn(refreshToken)
    process.monitor.signedInAgain({ ...profile, refreshToken })
  }
}

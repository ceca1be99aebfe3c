import type { deskContract } from '../../app/contract/desk.ts'
import type { Handlers } from '../../app/contract/ipc.ts'
import type { Alerts } from '../alerts/alerts.ts'
import type { DeskService, DeskServiceDeps } from '../desk/desk-service.ts'
import type { Log } from '../ports/ports.ts'

type LazyDesksDeps = DeskServiceDeps & { readonly log: Log }

/**
 * The desks of the connected keys. The code for desks is loaded when a key has a desk or when a command needs
 * it.
 */
export class LazyDesks {
  readonly #deps: LazyDesksDeps
  #service: Promise<DeskService> | undefined

  readonly handlers: Handlers<typeof deskContract> = {
    createDesk: async (request) => (await this.#load()).handlers.createDesk(request),
    joinDesk: async (request) => (await this.#load()).handlers.joinDesk(request),
    deskInvitation: async (request) => (await this.#load()).handlers.deskInvitation(request),
    leaveDesk: async (request) => (await this.#load()).handlers.leaveDesk(request),
    rotateDesk: async (request) => (await this.#load()).handlers.rotateDesk(request),
  }

  constructor(deps: LazyDesksDeps) {
    this.#deps = deps
  }

  /** Starts the desks of keys that were connected or unlocked since the last call. */
  follow(): void {
    const { monitor, store, log } = this.#deps
    if (!monitor.profiles().some((profile) => store.desk(profile).kind !== 'none')) return
    this.#load().then(
      (service) => service.follow(),
      (cause: unknown) => log.note('loading the desks failed', { cause }),
    )
  }

  /** Ends all desks, and notifies the other machines. */
  async stop(): Promise<void> {
    const service = await this.#service?.catch(() => undefined)
    await service?.stop()
  }

  #load(): Promise<DeskService> {
    this.#service ??= import('../desk/desk-service.ts').then(({ deskService }) => deskService(this.#deps))
    return this.#service
  }
}

/**
 * The snooze of alerts, which a desk shares with the other machines. While `alerts` returns `undefined`,
 * alerts are not snoozed, and another machine's snooze is ignored.
 */
export const snoozeOf = (
  alerts: () => Pick<Alerts, 'snooze' | 'adoptSnooze'> | undefined,
): DeskServiceDeps['person']['snooze'] => ({
  read: () => alerts()?.snooze ?? {},
  adopt: (untilMs, chosenAtMs) => alerts()?.adoptSnooze(untilMs, chosenAtMs),
})

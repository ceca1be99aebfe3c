import type { ServerOptions } from '../../main/simulator/server.ts'
import { DeskLedger } from './desk-ledger.ts'
import { DeskPrograms, type PolledPaths } from './desk-programs.ts'
import { StartedDesk } from './started-desk.ts'

const account = (rest: string) => `/v3/brokerage/accounts/SIM1001/${rest}`
/** A program for each quota on each machine. Together they request several times the refill. */
const POLLED: Readonly<Record<string, PolledPaths>> = {
  accounts: { paths: ['/v3/brokerage/accounts'], everyMs: 300 },
  balances: { paths: [account('balances')], everyMs: 300 },
  positions: { paths: [account('positions')], everyMs: 300 },
  trader: { paths: [account('positions'), account('balances')], everyMs: 2_000 },
}
const NAMES = ['WORKSTATION', 'NOTEBOOK', 'CLOSET'] as const
/** The quotas that the programs use. Each refills one request a second. */
export const BUSY_QUOTAS = ['Accounts', 'Balances', 'Positions'] as const
export const BUSY_LIMIT = { limit: 60, periodSeconds: 60 } as const

const programOf = (machine: string, polled: string) => `${machine.toLowerCase()}-${polled}`

/** Three machines whose programs use up three quotas, and the outcome of each request. */
export interface BusyDesk {
  readonly desk: StartedDesk
  readonly ledger: DeskLedger
  /** Starts the programs. They run until `stop`. */
  run(seed: number): DeskPrograms
}

export async function busyDesk(
  nats: string,
  traits: {
    readonly headroom?: string
    readonly flags?: readonly string[]
    readonly service?: ServerOptions
  } = {},
): Promise<BusyDesk> {
  const limits = Object.fromEntries(BUSY_QUOTAS.map((category) => [category, BUSY_LIMIT]))
  const named = NAMES.map((name) => [name, Object.keys(POLLED).map((one) => programOf(name, one))] as const)
  const desk = await StartedDesk.prepare({
    nats,
    ...traits,
    machines: Object.fromEntries(named),
    classes: Object.fromEntries(NAMES.map((name) => [programOf(name, 'trader'), 'critical'])),
    service: { limits, ...traits.service },
  })
  const ledger = new DeskLedger(desk.key)
  const polls = Object.fromEntries(
    NAMES.flatMap((name) => Object.entries(POLLED).map(([one, polled]) => [programOf(name, one), polled])),
  )
  return {
    desk,
    ledger,
    run: (seed) =>
      new DeskPrograms(desk.machines, polls, seed, (machine, program, path) =>
        ledger.ask(machine, program, path),
      ),
  }
}

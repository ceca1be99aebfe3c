import { randomBytes } from 'node:crypto'
import { onTestFinished } from 'vitest'
import type { ProgramClass } from '../../../app/contract/programs.ts'
import { Gateway } from '../../../main/gateway/gateway.ts'
import type { GivenProgram } from '../../../main/gateway/given-programs.ts'
import type { OrderLane } from '../../../main/gateway/order-lane.ts'
import type { Peer } from '../../../main/gateway/peer-user.ts'
import { Programs } from '../../../main/gateway/programs.ts'
import { Monitor } from '../../../main/monitor/monitor.ts'
import { type ForwardHttp, nodeForwardHttp } from '../../../main/network/forward-http.ts'
import { nodeHttp } from '../../../main/network/http-client.ts'
import { nodeClock, nodeRandom } from '../../../main/ports/node-clock.ts'
import type { Clock, Log } from '../../../main/ports/ports.ts'
import type { Profile } from '../../../main/ports/profile.ts'
import { Redactor } from '../../../main/ports/redactor.ts'
import {
  type ServerOptions,
  type SimulatorServer,
  startSimulatorServer,
} from '../../../main/simulator/server.ts'
import { TokenStore } from '../../../main/tokens/token-store.ts'
import type { VaultTokens } from '../../../main/vault/vault.ts'
import { simulatedKey } from '../example-key.ts'
import { servicePorts } from '../skipping-clock.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'

export interface StartedGateway {
  readonly service: SimulatorServer
  readonly monitor: Monitor
  readonly gateway: Gateway
  readonly port: number
  readonly url: string
  readonly dataFolder: string
  /** Every line of the log. */
  readonly notes: readonly string[]
  readonly secrets: Redactor
  /** Adds a program and returns its key. */
  add(name: string, traits?: { readonly class?: ProgramClass; readonly weight?: number }): string
  get(path: string, key: string, headers?: Readonly<Record<string, string>>): Promise<Response>
}

export interface GatewayTraits {
  readonly simulator?: ServerOptions
  readonly forward?: ForwardHttp
  readonly profile?: Partial<Profile>
  readonly peer?: () => Peer | Promise<Peer>
  readonly reserve?: Readonly<Record<string, number>>
  /** Where the tokens of the key are stored; if absent, only in memory. */
  readonly tokens?: VaultTokens
  /** The clock of the gateway, the monitor and the simulator; the machine's if absent. */
  readonly clock?: Clock
  /** The data folder; a temporary one if absent. */
  readonly dataFolder?: string
  /** The programs of HEADROOM_GATEWAY_KEYS. */
  readonly given?: readonly GivenProgram[]
  /** Creates the orders of the gateway from its parts. Without it, no order passes. */
  readonly orders?: (parts: {
    readonly monitor: Monitor
    readonly programs: Programs
    readonly clock: Clock
    readonly dataFolder: string
    readonly log: Log
  }) => OrderLane
}

/** A gateway on a free port, before a simulator whose key makes no checks of its own. */
export async function startGateway({
  simulator = {},
  forward = nodeForwardHttp({}),
  profile = {},
  peer,
  reserve,
  tokens,
  clock = nodeClock,
  dataFolder = temporaryFolder(),
  given = [],
  orders,
}: GatewayTraits = {}): Promise<StartedGateway> {
  const service = await startSimulatorServer(
    { clientId: 'sim-key', refreshToken: 'sim-refresh', ...simulator },
    clock === nodeClock ? undefined : servicePorts(clock),
  )
  const notes: string[] = []
  const log = {
    note: (line: string, fields?: object) => void notes.push(`${line} ${JSON.stringify(fields)}`),
  }
  const secrets = new Redactor()
  const monitor = new Monitor({ clock, random: nodeRandom, http: nodeHttp({}), log, secrets })
  const connected = simulatedKey(service.origin, profile)
  if (tokens === undefined) monitor.connect(connected)
  else monitor.restore(connected, TokenStore.stored(tokens))
  const programs = new Programs({
    dataFolder,
    given,
    clock,
    randomBytes,
    problem: (what) => void notes.push(what),
  })
  const gateway = new Gateway({
    monitor,
    programs,
    forward,
    clock,
    log,
    secrets,
    userId: process.getuid?.(),
    ...(peer && { peer: async () => peer() }),
    ...(reserve && { reserve }),
    ...(orders && { orders: orders({ monitor, programs, clock, dataFolder, log }) }),
  })
  onTestFinished(async () => {
    await service.close()
    await gateway.stop()
    monitor.stop()
  })
  const change = await gateway.turnOn(0)
  if (!change.ok) throw new Error(change.why)
  const url = gateway.summary.url ?? ''
  return {
    service,
    monitor,
    gateway,
    url,
    port: Number(new URL(url).port),
    dataFolder,
    notes,
    secrets,
    add: (name, { class: own = 'normal', weight = 1 } = {}) => {
      const added = gateway.add({ name, class: own, weight })
      if (!added.ok) throw new Error(added.why)
      return added.key
    },
    get: (path, key, headers = {}) =>
      fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}`, ...headers } }),
  }
}

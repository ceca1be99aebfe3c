import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { ProgramClass } from '../../app/contract/programs.ts'
import type { ServerOptions } from '../../main/simulator/server.ts'
import { DeskProxy } from '../desk-server/desk-proxy.ts'
import { clusterTraits, type NatsServer, runNatsServer } from '../desk-server/nats-process.ts'
import { DeskCounts } from './desk-counts.ts'
import { DeskMachine, PROFILE } from './desk-machine.ts'
import { SharedKey } from './shared-key.ts'

/** One path for each of several categories. */
export const PATHS = [
  '/v3/brokerage/accounts',
  '/v3/brokerage/accounts/SIM1001/balances',
  '/v3/brokerage/accounts/SIM1001/positions',
  '/v3/brokerage/accounts/SIM1001/orders',
  '/v3/marketdata/quotes/MSFT',
] as const

/** Between two requests of a machine, in milliseconds. */
const PACE_MS = 15
/** How long JetStream may take to elect its leader after a cluster has started, in milliseconds. */
const ELECTED_WITHIN_MS = 30_000

export interface DeskTraits {
  /** The path of the NATS server's program. */
  readonly nats: string
  /** The machines, each with the names of its programs. */
  readonly machines: Readonly<Record<string, readonly string[]>>
  readonly service?: ServerOptions
  readonly headroom?: string
  readonly flags?: readonly string[]
  readonly classes?: Readonly<Record<string, ProgramClass>>
  /** Whether the proxies between the machines and the server record every byte. */
  readonly records?: boolean
}

/** Machines that share a key and a desk, each with its own way to the desk's server. */
export class StartedDesk {
  readonly folder: string
  readonly key: SharedKey
  readonly nats: NatsServer
  readonly machines: readonly DeskMachine[]
  readonly counts: DeskCounts
  /** Each machine's way to the server. */
  readonly ways = new Map<DeskMachine, DeskProxy>()
  readonly #cluster: NatsServer[] = []
  /** The routes between servers of a cluster that can be cut, each with the two machines at its servers. */
  readonly #routes: { readonly way: DeskProxy; readonly between: readonly (DeskMachine | undefined)[] }[] = []

  private constructor(
    folder: string,
    { key, nats, machines }: Pick<StartedDesk, 'key' | 'nats' | 'machines'>,
  ) {
    this.folder = folder
    this.key = key
    this.nats = nats
    this.machines = machines
    this.counts = new DeskCounts(key, machines)
  }

  /** Starts everything but the machines. The caller calls `end`. */
  static async prepare(traits: DeskTraits): Promise<StartedDesk> {
    const { machines: named, service, headroom, flags, classes, records } = traits
    const folder = mkdtempSync(join(tmpdir(), 'headroom-desk-'))
    const key = await SharedKey.start(service)
    const nats = await runNatsServer(traits.nats, join(folder, 'nats'))
    const machines = Object.entries(named).map(([name, programs]) => {
      const dataFolder = join(folder, name)
      mkdirSync(dataFolder, { mode: 0o700 })
      return new DeskMachine({
        ...{ name, programs, key, dataFolder },
        ...(headroom !== undefined && { headroom }),
        ...(flags !== undefined && { flags }),
        ...(classes !== undefined && { classes }),
      })
    })
    const desk = new StartedDesk(folder, { key, nats, machines })
    for (const machine of machines)
      desk.ways.set(machine, await DeskProxy.start(nats.port, { records: records === true }))
    return desk
  }

  wayOf(machine: DeskMachine): DeskProxy {
    const way = this.ways.get(machine)
    if (way === undefined) throw new Error(`${machine.name} has no way to the server`)
    return way
  }

  /** Starts all machines and joins them. */
  async start(): Promise<void> {
    await Promise.all(this.machines.map((machine) => machine.start()))
    await this.join()
  }

  /** The first machine creates a desk, and the others join it. `attempt` carries out each step. */
  async join(
    servers = (machine: DeskMachine): readonly string[] => [this.wayOf(machine).url],
    attempt = <T>(step: () => Promise<T>): Promise<T> => step(),
  ): Promise<void> {
    const [first, ...others] = this.machines
    if (first === undefined) return
    const invitation = await attempt(() => first.createDesk(servers(first)))
    await Promise.all(others.map((machine) => attempt(() => machine.joinDesk(invitation, servers(machine)))))
  }

  /**
   * Starts a cluster of servers, and moves all machines to a desk on it: each machine to all servers, or to
   * one of its own that `cutOff` can cut off. `nats`: see `DeskTraits`.
   */
  async moveToCluster(nats: string, reaches: 'all servers' | 'one server' = 'all servers'): Promise<void> {
    const folder = (at: number) => join(this.folder, `cluster-${this.#cluster.length + at}`)
    const traits = await (reaches === 'all servers' ? clusterTraits() : this.#routedTraits())
    const servers = await Promise.all(traits.map((own, at) => runNatsServer(nats, folder(at), own)))
    this.#cluster.push(...servers)
    const urls = servers.map(({ url }) => url)
    const reached = (machine: DeskMachine) => {
      const own = this.machines.indexOf(machine)
      return reaches === 'all servers' ? urls : urls.slice(own, own + 1)
    }
    for (const machine of this.machines) await machine.ask({ do: 'leave-desk', profile: PROFILE })
    await this.join(reached, untilElected)
  }

  /**
   * Separates a machine's server from the other servers of the cluster. `messages`: whether messages in the
   * meantime are lost or late. Returns a function that ends the partition.
   */
  cutOff(machine: DeskMachine, messages: 'lost' | 'late'): () => void {
    const ways = this.#routes.filter(({ between }) => between.includes(machine)).map(({ way }) => way)
    for (const way of ways)
      if (messages === 'lost') way.cut()
      else way.hold()
    return () => {
      for (const way of ways) way.heal()
    }
  }

  /** The traits of servers that reach each other through proxies. */
  #routedTraits(): ReturnType<typeof clusterTraits> {
    return clusterTraits(async (port, { from, to }) => {
      if (from === to) return port
      const way = await DeskProxy.start(port)
      this.#routes.push({ way, between: [this.machines[from], this.machines[to]] })
      return way.port
    })
  }

  /** Kills the server of the cluster that a machine uses. Returns its host and port. */
  async killServerOf(machine: DeskMachine): Promise<string> {
    const used = (await machine.snapshot()).desk?.engine.server
    const server = this.#cluster.find(({ url }) => url.endsWith(`${used}`))
    if (used === undefined || server === undefined) throw new Error(`no server of the cluster is ${used}`)
    await server.kill()
    return used
  }

  /**
   * Each machine sends `each` requests, one after the other, in all categories in turn. Returns the responses
   * that were not a 200.
   */
  async use(each: number, machines: readonly DeskMachine[] = this.machines): Promise<readonly string[]> {
    const odd: string[] = []
    const send = async (machine: DeskMachine) => {
      for (let at = 0; at < each; at += 1) {
        const program = machine.programs[at % machine.programs.length] ?? ''
        const answer = await machine.get(program, PATHS[at % PATHS.length] ?? PATHS[0])
        const body = await answer.text()
        await pause(PACE_MS)
        if (answer.status !== 200) odd.push(`${machine.name} ${answer.status} ${body.slice(0, 200)}`)
      }
    }
    await Promise.all(machines.map(send))
    return odd
  }

  /**
   * The machines that are not ready yet. A running machine is ready when it is in the desk and shows the
   * others as present.
   */
  async notJoined(machines: readonly DeskMachine[] = this.machines): Promise<readonly string[]> {
    const running = machines.filter(({ isRunning }) => isRunning)
    const lines: string[] = []
    for (const machine of running) {
      const { desk } = await machine.snapshot()
      if (desk?.state !== 'joined') lines.push(`${machine.name}: ${desk?.state}`)
      for (const other of running)
        if (!desk?.members.some(({ name, present }) => name === other.name && present))
          lines.push(`${machine.name} does not see ${other.name}`)
    }
    return lines
  }

  async end(): Promise<void> {
    for (const machine of this.machines) machine.thaw()
    await Promise.all(this.machines.map((machine) => machine.kill()))
    for (const way of [...this.ways.values(), ...this.#routes.map((route) => route.way)]) way.close()
    await Promise.all([this.nats, ...this.#cluster].map((server) => server.kill()))
    await this.key.simulator.close()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Repeats a step until JetStream has elected its leaders. */
async function untilElected<T>(step: () => Promise<T>): Promise<T> {
  const untilMs = performance.now() + ELECTED_WITHIN_MS
  for (;;) {
    try {
      return await step()
    } catch (error) {
      if (performance.now() > untilMs) throw error
      await pause(PACE_MS)
    }
  }
}

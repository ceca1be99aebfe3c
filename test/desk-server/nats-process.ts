import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { claimPort } from '../../main/network/loopback-servers.ts'

const START_LIMIT_MS = 15_000

/** A running server. */
export interface NatsServer {
  readonly port: number
  /** An address for a desk, such as `nats://127.0.0.1:4222`. */
  readonly url: string
  /** Where its configuration and its store are. */
  readonly folder: string
  /** Ends it with SIGKILL. */
  kill(): Promise<void>
  /** Stops its process, so that its connections remain open and silent, and continues it. */
  freeze(): void
  thaw(): void
  /** Starts it again on its port, without what it stored. */
  restart(): Promise<void>
}

export interface NatsServerTraits {
  /** False for one without JetStream. */
  readonly hasStore?: boolean
  /** More of its configuration, such as `authorization: { token: "…" }`. */
  readonly config?: string
  /** For the clients' connections; by default a free one. */
  readonly port?: number
  /** This computer's address on which it listens. */
  readonly host?: string
}

/**
 * A free port. Another program may take it before it is used, as with every server that can't choose its own
 * port.
 */
export async function freePort(): Promise<number> {
  const { port, close } = await claimPort(0)
  await close()
  return port
}

/** Starts a server with its files in `folder`, and waits until it takes connections. The caller ends it. */
export async function runNatsServer(
  program: string,
  folder: string,
  traits: NatsServerTraits = {},
): Promise<NatsServer> {
  const { hasStore = true, config = '', host = '127.0.0.1', port = await freePort() } = traits
  let child: ChildProcess | undefined
  let starts = 0
  const start = async () => {
    starts += 1
    const own = join(folder, String(starts))
    mkdirSync(own, { recursive: true })
    const file = join(own, 'nats.conf')
    const store = hasStore ? `jetstream { store_dir: "${own}", max_file: 64M, max_mem: 16M }` : ''
    writeFileSync(file, `listen: "${host}:${port}"\n${store}\n${config}\n`)
    const started = spawn(program, ['-c', file], { stdio: ['ignore', 'ignore', 'pipe'] })
    child = started
    let said = ''
    started.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    const ended = once(started, 'exit').then(() => {
      throw new Error(`nats-server ended:\n${said}`)
    })
    ended.catch(() => {})
    await Promise.race([answers(port), ended])
  }
  const kill = async () => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  try {
    await start()
  } catch (error) {
    await kill()
    throw error
  }
  return {
    port,
    url: `nats://127.0.0.1:${port}`,
    folder,
    kill,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    restart: start,
  }
}

/**
 * The traits of three servers of one cluster. `routeTo`: the port through which a server reaches the port of
 * another one, both by their index; by default the same port.
 */
export async function clusterTraits(
  routeTo: (port: number, way: { readonly from: number; readonly to: number }) => number | Promise<number> = (
    port,
  ) => port,
): Promise<readonly NatsServerTraits[]> {
  const ports = [await freePort(), await freePort(), await freePort()]
  const traitsOf = async (own: number, from: number) => {
    const reached = await Promise.all(ports.map((port, to) => routeTo(port, { from, to })))
    const routes = reached.map((port) => `"nats-route://127.0.0.1:${port}"`).join(', ')
    // Nobody listens on the advertised port, so that there are no other routes.
    const cluster = `name: "c", listen: "127.0.0.1:${own}", advertise: "127.0.0.1:1", routes: [${routes}]`
    return { config: `server_name: "n${from}"\ncluster { ${cluster} }` }
  }
  return Promise.all(ports.map(traitsOf))
}

/** Resolves when something listens on a port of this computer. */
async function answers(port: number): Promise<void> {
  const untilMs = performance.now() + START_LIMIT_MS
  for (;;) {
    const socket = createConnection({ host: '127.0.0.1', port })
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('data', () => resolve(true))
      socket.once('error', () => resolve(false))
      socket.once('close', () => resolve(false))
    })
    socket.destroy()
    if (isOpen) return
    if (performance.now() > untilMs) throw new Error('nats-server takes no connection')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

import { once } from 'node:events'
import { lstatSync, mkdirSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import type { deskContract } from '../../app/contract/desk.ts'
import type { Handlers } from '../../app/contract/ipc.ts'
import type { WindowSummary } from '../../app/contract/windows.ts'
import type { OrdersSurface } from '../../app/orders/ports.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { noneUnknown } from '../monitor/commands/orders.ts'
import { type MonitorSurface, snapshotsOf } from '../monitor/monitor-surface.ts'
import { limitConnections } from '../network/connection-limit.ts'
import type { Clock, Log } from '../ports/ports.ts'
import type { OrderSwitches } from '../sign-in/order-switches.ts'
import { answerOfDesk } from './desk-answers.ts'
import {
  type ControlAnswer,
  type ControlRequest,
  failedAnswer,
  type GatewayRequest,
  MAX_REQUEST_BYTES,
  type OrdersRequest,
  parseRequest,
  REQUEST_RULES,
} from './protocol.ts'
import type { SocketPath } from './socket-path.ts'

export interface ControlServerDeps {
  readonly monitor: Pick<MonitorSurface, 'profiles' | 'snapshot' | 'withProfile'>
  /** Browser windows that signed in with a code. Absent in a host without browser windows. */
  readonly windows?: () => readonly WindowSummary[]
  /** Absent in a host without a gateway. */
  readonly gateway?: Pick<
    Gateway,
    'summary' | 'programs' | 'turnOn' | 'turnOff' | 'add' | 'cut' | 'pause' | 'resume'
  >
  /** Absent in a host without orders. */
  readonly switches?: Pick<OrderSwitches, 'allow' | 'allowed' | 'cancel' | 'stop'>
  readonly orders?: Pick<OrdersSurface, 'dismiss'>
  /** The commands for desks; absent in a host that stores no key. */
  readonly desk?: Handlers<typeof deskContract>
  readonly path: SocketPath
  readonly clock: Clock
  readonly log: Log
  readonly userId: number | undefined
}

/**
 * Maximum silence of a client in milliseconds. The `headroom` commands send and read immediately. A client
 * that is silent for longer is suspended or is another program.
 */
const SILENCE_MS = 10_000
/**
 * Interval in milliseconds at which the server checks that the socket file still exists. Programs that clean
 * temporary folders may delete it.
 */
const LOOK_MS = 10_000
/**
 * Maximum number of connections. High, because a program can send many requests at once. Each takes only
 * milliseconds.
 */
export const MAX_CONNECTIONS = 256

/**
 * Serves the `headroom` commands of this machine's user.
 *
 * The caller must hold the data folder's lock, so that an existing socket file is known to be stale. An error
 * while opening the socket is logged, because the rest of the app works without the socket.
 */
export async function startControlServer(deps: ControlServerDeps): Promise<{ close(): Promise<void> }> {
  const { path, clock, log } = deps
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    serve(socket, deps, () => limit.keep(socket))
  })
  const limit = limitConnections([server], { most: MAX_CONNECTIONS })
  // After the server has started listening, an error affects only one connection. Earlier errors are handled
  // below.
  server.on('error', (cause) => server.listening && log.note('the control socket failed', { cause }))
  try {
    await listenAnew(server, deps)
  } catch (error) {
    log.note("can't open the control socket: `status` and `revoke` won't reach this app", { cause: error })
    return { close: async () => {} }
  }
  let isNoted = false
  const reopenIfDeleted = async () => {
    try {
      if (path.kind === 'pipe' || lstatSync(path.path, { throwIfNoEntry: false }) !== undefined) return
      // `close` makes libuv delete the file at this path. The old server is therefore closed before the new
      // file is created.
      server.close()
      await listenAnew(server, deps)
      log.note('the control socket was deleted; it is open again')
      isNoted = false
    } catch (cause) {
      if (!isNoted) log.note('the control socket was deleted and can’t be opened again', { cause })
      isNoted = true
    }
  }
  const look = () => {
    cancel = clock.after(LOOK_MS, look)
    void reopenIfDeleted()
  }
  let cancel = clock.after(LOOK_MS, look)
  return {
    close: () =>
      new Promise((resolve) => {
        cancel()
        // `close` also makes libuv delete the socket file.
        server.close(() => resolve())
        for (const socket of open) socket.destroy()
      }),
  }
}

async function listenAnew(server: Server, { path, userId }: ControlServerDeps): Promise<void> {
  makeWay(path, userId)
  // The umask makes the socket private from its creation. libuv's named pipes are always private to their
  // owner.
  const before = path.kind === 'pipe' ? undefined : process.umask(0o177)
  try {
    server.listen(path.path)
  } finally {
    if (before !== undefined) process.umask(before)
  }
  // `listen` emits its events in a later turn.
  await once(server, 'listening')
}

function makeWay(path: SocketPath, userId: number | undefined): void {
  switch (path.kind) {
    case 'pipe':
      return
    case 'elsewhere':
      mkdirSync(path.folder, { recursive: true, mode: 0o700 })
      if (!isOurFolder(path.folder, userId)) throw new Error(`${path.folder} belongs to another user`)
      break
    case 'socket':
      break
  }
  const found = lstatSync(path.path, { throwIfNoEntry: false })
  if (found === undefined) return
  if (!found.isSocket()) throw new Error(`${path.path} is in the way`)
  rmSync(path.path)
}

/**
 * Whether a folder belongs to the user and is inaccessible to others. Client and server both check, because
 * any user could have created the folder first.
 */
export function isOurFolder(folder: string, userId: number | undefined): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  return found?.isDirectory() === true && found.uid === userId && (found.mode & 0o077) === 0
}

function serve(socket: Socket, deps: ControlServerDeps, keep: () => void): void {
  const { clock, log } = deps
  let received = ''
  const giveUp = () => clock.after(SILENCE_MS, () => socket.destroy())
  let cancel = giveUp()
  socket.setEncoding('utf8')
  socket.on('error', () => socket.destroy())
  socket.on('data', (text: string) => {
    received += text
    const end = received.indexOf('\n')
    if (end === -1) {
      if (received.length > MAX_REQUEST_BYTES) socket.destroy()
      return
    }
    cancel()
    socket.removeAllListeners('data')
    const request = parseRequest(received.slice(0, end))
    const rules = request && REQUEST_RULES[request.do]
    if (rules?.isLong) keep()
    if (request?.do === 'await-orders') socket.on('close', () => deps.switches?.cancel(request.signIn))
    const answer = () => answerTo(request, deps)
    void (rules === undefined || rules.isKept ? answer() : ifConnected(socket, answer))
      .catch((error: unknown): ControlAnswer => {
        log.note('a request on the control socket failed', { cause: error })
        return failedAnswer('Headroom failed; see its log.')
      })
      .then((said) => {
        if (said === undefined || socket.destroyed) return
        socket.end(`${JSON.stringify(said)}\n`)
        cancel = giveUp()
      })
  })
  socket.on('close', () => cancel())
}

/**
 * Calls `answer`, unless the client has disconnected, for example after a timeout while this process was
 * suspended.
 *
 * A client that disconnects has already reported a failure to its user, so its request must not take effect.
 * If it added a program, for example, the program's key would be lost. A disconnect is known after one full
 * turn of the event loop.
 */
async function ifConnected<T>(socket: Socket, answer: () => Promise<T>): Promise<T | undefined> {
  await new Promise(setImmediate)
  await new Promise(setImmediate)
  return socket.readableEnded || socket.destroyed ? undefined : answer()
}

async function answerTo(
  request: ControlRequest | undefined,
  { monitor, windows, gateway, switches, orders, desk }: ControlServerDeps,
): Promise<ControlAnswer> {
  switch (request?.do) {
    case undefined:
      return {
        ok: false,
        code: 'bad-request',
        message: 'The running Headroom doesn’t know this command. Is it the same version?',
      }
    case 'status':
      return { ok: true, snapshots: snapshotsOf(monitor), ...(windows && { windows: windows() }) }
    case 'revoke': {
      const outcome = await monitor.withProfile(request.profile, (session) => session.revoke())
      return outcome.ok ? { ok: true, revoked: request.profile } : outcome
    }
    case 'allow-orders':
    case 'await-orders':
    case 'stop-orders':
      return switches === undefined ? NO_GATEWAY : answerOfSwitches(request, switches)
    case 'dismiss-order':
      return orders?.dismiss(request.id) ? { ok: true, dismissed: request.id } : noneUnknown(request.id)
    case 'gateway':
    case 'add-program':
    case 'cut-program':
    case 'pause-program':
    case 'resume-program':
      return gateway === undefined ? NO_GATEWAY : answerOfGateway(request, gateway, monitor)
    case 'create-desk':
    case 'join-desk':
    case 'desk-invitation':
    case 'leave-desk':
    case 'rotate-desk':
      return desk === undefined ? NO_DESKS : answerOfDesk(request, desk)
  }
}

const NO_GATEWAY: ControlAnswer = {
  ok: false,
  code: 'no-gateway',
  message: 'The running Headroom has no gateway. Use headroom start.',
}

const NO_DESKS: ControlAnswer = {
  ok: false,
  code: 'no-desks',
  message: 'The running Headroom saves no keys, so it can’t share a desk.',
}

async function answerOfSwitches(
  request: OrdersRequest,
  switches: NonNullable<ControlServerDeps['switches']>,
): Promise<ControlAnswer> {
  switch (request.do) {
    case 'allow-orders': {
      const outcome = await switches.allow(request.profile, request.ending)
      if (!outcome.ok) return outcome
      const { signIn } = outcome
      if (signIn === undefined) return { ok: true, allowed: request.profile }
      return { ok: true, signIn: signIn.signIn, url: signIn.url, opened: signIn.opened }
    }
    case 'await-orders': {
      const outcome = await switches.allowed(request.signIn)
      return outcome.ok ? { ok: true, allowed: outcome.profile } : outcome
    }
    case 'stop-orders': {
      const outcome = switches.stop(request.profile)
      return outcome.ok ? { ok: true, stopped: true } : outcome
    }
  }
}

async function answerOfGateway(
  request: GatewayRequest,
  gateway: NonNullable<ControlServerDeps['gateway']>,
  monitor: Pick<MonitorSurface, 'profiles'>,
): Promise<ControlAnswer> {
  switch (request.do) {
    case 'gateway': {
      const change =
        request.turn === 'on'
          ? await gateway.turnOn(request.port)
          : request.turn === 'off'
            ? await gateway.turnOff()
            : undefined
      return change?.ok === false
        ? failedAnswer(change.why)
        : {
            ...{ ok: true, gateway: gateway.summary, programs: gateway.programs() },
            connected: monitor.profiles(),
          }
    }
    case 'add-program': {
      const added = gateway.add(request)
      return added.ok
        ? { ok: true, key: added.key, program: added.program.name, gateway: gateway.summary }
        : failedAnswer(added.why)
    }
    case 'cut-program': {
      const cut = gateway.cut(request.name)
      return cut.ok ? { ok: true, cut: request.name } : failedAnswer(cut.why)
    }
    case 'pause-program': {
      const paused = gateway.pause(request.name)
      return paused.ok ? { ok: true, paused: request.name, until: paused.until } : failedAnswer(paused.why)
    }
    case 'resume-program': {
      const resumed = gateway.resume(request.name)
      return resumed.ok ? { ok: true, resumed: request.name } : failedAnswer(resumed.why)
    }
  }
}

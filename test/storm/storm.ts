import { type ChildProcess, fork } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Snapshot } from '../../app/contract/snapshot.ts'
import { startSimulatorServer } from '../../main/simulator/server.ts'
import { FaultProxy } from './fault-proxy.ts'
import { DISK_FULL, type StormFault, type Weather } from './faults.ts'
import { GatewayProcess } from './gateway-process.ts'
import { judge, type Look, type Recorded, RIGHT_WITHIN_MS, type Slot, type Verdict } from './judge.ts'
import { Lateness } from './lateness.ts'
import { type Order, ProgramLogs, type Told } from './logs.ts'
import { MACHINES, POLLED } from './programs.ts'
import { smallDisk } from './small-disk.ts'
import { lookOf } from './state.ts'
import { TruthLog } from './truth-log.ts'

export interface StormAsked {
  /** Faults that occur in turn. */
  readonly faults: readonly StormFault[]
  readonly slots: number
  readonly slotSeconds: number
  readonly seed: number
  readonly say: (line: string) => void
  /** Ends the storm early, with nothing left running. Its promise rejects. */
  readonly signal?: AbortSignal
  /**
   * Called with the verdict on a slot when the next slot begins. Requests that are still under way are judged
   * at the end.
   */
  readonly onSlot?: (verdict: Verdict) => void
}

export interface Storm {
  readonly verdicts: readonly Verdict[]
  /** Faults that are impossible on this machine, with the reason. */
  readonly skipped: readonly string[]
}

const CLIENT = { clientId: 'storm-key', refreshToken: 'storm-refresh' }
/** Requests per second of others on the key: about a tenth of the refill. */
const USUAL_OTHERS: Readonly<Record<string, number>> = {
  Positions: 0.1,
  Balances: 0.1,
  'Order Details': 0.1,
  'Quote Snapshot': 0.15,
  'MarketDepth Stream': 0.03,
}
const WARM_WITHIN_MS = 60_000
/** Exceeds 30 s of waiting in the queue plus 30 s until a response begins. */
const ANSWERED_WITHIN_MS = 75_000
const LEDGER_MS = 500
const SCAN_AFTER_MS = 1_000
const MACHINE = fileURLToPath(new URL('machine.ts', import.meta.url))

/** Runs a gateway in a separate process and the programs of two machines, and causes a fault in each slot. */
export async function storm(asked: StormAsked): Promise<Storm> {
  const { slots: count, slotSeconds, seed, say } = asked
  const needsDisk = asked.faults.some(({ name }) => name === DISK_FULL)
  const disk = smallDisk(needsDisk)
  const skipped = needsDisk && disk.why !== undefined ? [`${DISK_FULL}: ${disk.why}`] : []
  const faults = asked.faults.filter(({ name }) => name !== DISK_FULL || disk.why === undefined)
  for (const line of skipped) say(`skipped: ${line}`)

  const simulator = await startSimulatorServer({ ...CLIENT, keys: 'rotating', arrivals: 'poisson', seed })
  const { service } = simulator
  const usualOthers = () => service.setTraffic(USUAL_OTHERS)
  usualOthers()
  const resources = await FaultProxy.start(simulator.port, seed)
  const signIn = await FaultProxy.start(simulator.port, seed + 1)
  const logs = new ProgramLogs()
  const truth = new TruthLog(service, POLLED)
  const lateness = new Lateness()
  const looks: Look[] = []
  const gateway = new GatewayProcess({
    ...CLIENT,
    resourceOrigin: resources.origin,
    signInOrigin: signIn.origin,
    dataFolder: disk.folder,
    onSnapshot: (snapshot: Snapshot) =>
      void looks.push(lookOf(snapshot, (category) => truth.around(category, snapshot.at))),
    say,
  })
  const refusals = new Map<string, Recorded['refusals'][number]>()
  const readLedger = () => {
    for (const { requestId, status, atMs, category = 'another' } of service.ledger.entries())
      if (status === 429) refusals.set(requestId, { atMs, category })
  }
  const ledger = setInterval(readLedger, LEDGER_MS)
  const machines: ChildProcess[] = []
  const slots: Slot[] = []
  const record = (): Recorded => ({
    slots,
    requests: [...logs.requests.values()],
    streams: [...logs.streams.values()],
    frames: logs.frames,
    crashes: gateway.crashes,
    refusals: [...refusals.values()],
    looks,
  })
  const weather: Weather = { service, resources, signIn, gateway, disk, usualOthers }
  try {
    await gateway.start()
    for (const { name } of MACHINES) machines.push(startMachine(name, gateway.port, logs))
    await warm(looks, logs)
    for (let at = 0; at < count; at += 1) {
      const fault = faults[at % faults.length]
      if (fault === undefined) break
      const timers = machines.map((machine, index) =>
        setTimeout(() => {
          if (at % (MACHINES[index]?.scanEvery ?? 1) === 0) order(machine, { do: 'scan' })
        }, fault.scansAfterMs ?? SCAN_AFTER_MS),
      )
      const startMs = slots.at(-1)?.untilMs ?? Date.now()
      slots.push(await slotOf(fault, weather, lateness, { startMs, slotSeconds, signal: asked.signal }))
      for (const timer of timers) clearTimeout(timer)
      readLedger()
      // Requests that are still under way are judged at the end.
      const { requests, ...recorded } = record()
      const answered = requests.filter(({ endedAtMs }) => endedAtMs !== undefined)
      const verdict = judge({ ...recorded, requests: answered }).at(-1)
      if (verdict) asked.onSlot?.(verdict)
    }
    for (const machine of machines) order(machine, { do: 'rest' })
    await atRest(logs, machines.length)
    // A problem that is found while the storm ends belongs to the last slot.
    const last = slots.pop()
    await gateway.stop()
    readLedger()
    if (last) slots.push({ ...last, untilMs: Date.now() })
    return { verdicts: judge(record()), skipped }
  } finally {
    clearInterval(ledger)
    truth.stop()
    lateness.stop()
    for (const machine of machines) machine.kill('SIGKILL')
    gateway.signal('SIGCONT')
    await gateway.kill()
    await resources.close()
    await signIn.close()
    await simulator.close()
    disk.close()
  }
}

interface SlotTimes {
  readonly startMs: number
  readonly slotSeconds: number
  readonly signal: AbortSignal | undefined
}

async function slotOf(
  fault: StormFault,
  weather: Weather,
  lateness: Lateness,
  { startMs, slotSeconds, signal }: SlotTimes,
): Promise<Slot> {
  await fault.strike(weather)
  await pause(Math.max(0, startMs + fault.seconds * 1000 - Date.now()), undefined, { signal })
  await fault.lift?.(weather)
  const endMs = Date.now()
  // The slot is extended by the time that a busy machine has lost.
  let lateMs = 0
  const toMs = () => Math.max(startMs + slotSeconds * 1000, endMs + RIGHT_WITHIN_MS + lateMs)
  while (Date.now() < toMs()) {
    await pause(Math.max(1, Math.min(500, toMs() - Date.now())), undefined, { signal })
    if (Date.now() < endMs + RIGHT_WITHIN_MS + lateMs) lateMs = lateness.since(endMs)
  }
  const { name, allows } = fault
  return { fault: name, allows, startMs, endMs, untilMs: Date.now(), lateMs }
}

function startMachine(name: string, port: number, logs: ProgramLogs): ChildProcess {
  const machine = fork(MACHINE)
  machine.on('message', (batch) => {
    for (const told of batch as readonly Told[]) logs.add(told)
  })
  order(machine, { do: 'start', machine: name, port })
  return machine
}

const order = (machine: ChildProcess, what: Order) => void machine.send(what)

/** Waits until everything is right at least once, and every reader has its stream. */
async function warm(looks: readonly Look[], logs: ProgramLogs): Promise<void> {
  const readers = MACHINES.flatMap(({ streams }) => streams).length
  const fromMs = Date.now()
  const isRight = () => {
    const last = looks.at(-1)
    return (
      last !== undefined &&
      Object.keys({ ...last.wrong, ...last.unbound }).length === 0 &&
      logs.streams.size >= readers
    )
  }
  while (!isRight()) {
    if (Date.now() - fromMs > WARM_WITHIN_MS)
      throw new Error(`not ready for a storm: ${JSON.stringify(looks.at(-1))}, ${logs.streams.size} streams`)
    await pause(100)
  }
}

/** Waits until all requests have ended and no further ones will be sent, or until a response is overdue. */
async function atRest(logs: ProgramLogs, machines: number): Promise<void> {
  const fromMs = Date.now()
  while (!logs.isAtRest(machines) && Date.now() - fromMs < ANSWERED_WITHIN_MS) await pause(100)
}

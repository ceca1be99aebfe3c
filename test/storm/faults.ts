import { setTimeout as pause } from 'node:timers/promises'
import type { SimulatorServer } from '../../main/simulator/server.ts'
import type { FaultProxy, Trouble } from './fault-proxy.ts'
import type { GatewayProcess } from './gateway-process.ts'
import type { Allowances } from './judge.ts'
import { POLLED } from './programs.ts'
import type { SmallDisk } from './small-disk.ts'

/** The objects that a fault can use. */
export interface Weather {
  readonly service: SimulatorServer['service']
  readonly resources: FaultProxy
  readonly signIn: FaultProxy
  readonly gateway: GatewayProcess
  readonly disk: SmallDisk
  /** Sets others' use of the key to its usual rate. */
  readonly usualOthers: () => void
}

export interface StormFault {
  readonly name: string
  readonly seconds: number
  /** When the scanners start, in milliseconds after the start of the slot. The default is one second. */
  readonly scansAfterMs?: number
  readonly allows: Allowances
  readonly strike: (weather: Weather) => void | Promise<void>
  readonly lift?: (weather: Weather) => void | Promise<void>
}

const OUTAGE_SECONDS = 30
const TIMES_THE_REFILL = 3
/** Requests that others leave of a quota, before they use three times its refill. */
const LEFT_BY_OTHERS = 20
const BURST_PER_SECOND = 400
const KILLED_AFTER_MS = 300

/** A fault in which the resource host spoils every response and resets every open stream. */
const spoils = (
  name: string,
  trouble: Trouble,
  seconds = OUTAGE_SECONDS,
  allows: Allowances = {},
): StormFault => ({
  name,
  seconds,
  allows,
  strike: ({ resources }) => {
    resources.strike(trouble)
    resources.cutStreams()
  },
  lift: ({ resources }) => resources.lift(),
})

const expireAccess = ({ service }: Weather) => service.tokens.expireAccess(service.nowMs())

/** In the order in which they strike. */
export const FAULTS: readonly StormFault[] = [
  spoils('503', '503', 32),
  spoils('resets', 'reset', OUTAGE_SECONDS, { cuts: true }),
  spoils('slow head', 'slow-head'),
  spoils('status 099', 'status'),
  spoils('garbage', 'garbage', OUTAGE_SECONDS, { cuts: true }),
  {
    name: 'sign-in host away',
    seconds: OUTAGE_SECONDS,
    allows: { served: true, rejects: true },
    // One endpoint rejects the token once, while the others still accept it.
    strike: ({ signIn, resources }) => {
      let rejections = 1
      signIn.strike('away')
      resources.strike((path) => (path.endsWith('/balances') && rejections-- > 0 ? '401' : undefined))
    },
    lift: ({ signIn, resources }) => {
      signIn.lift()
      resources.lift()
    },
  },
  {
    name: 'token ended',
    seconds: 1,
    allows: { served: true },
    strike: (weather) => {
      expireAccess(weather)
      weather.service.cutStreams('end')
    },
  },
  {
    name: 'others at 3 times the refill',
    seconds: 35,
    allows: { served: true, others: true },
    strike: async ({ service }) => {
      const left = () =>
        POLLED.map((category) => service.quotas.reading(category, service.nowMs())?.remaining ?? 0)
      const traffic = (perSecond: (category: string, at: number) => number) =>
        service.setTraffic(
          Object.fromEntries(POLLED.map((category, at) => [category, perSecond(category, at)])),
        )
      for (let now = left(); now.some((one) => one > LEFT_BY_OTHERS); now = left()) {
        const most = now
        traffic((_, at) => ((most[at] ?? 0) > LEFT_BY_OTHERS ? BURST_PER_SECOND : 0))
        await pause(50)
      }
      traffic((category) => {
        const { limit = 0, periodSeconds = 1 } = service.quotas.reading(category, service.nowMs()) ?? {}
        return (TIMES_THE_REFILL * limit) / periodSeconds
      })
    },
    lift: ({ usualOthers }) => usualOthers(),
  },
  {
    name: 'disk full',
    seconds: OUTAGE_SECONDS,
    allows: { served: true },
    // During the fault, a token must be refreshed, and the new one can't be stored.
    strike: (weather) => {
      weather.disk.fill()
      expireAccess(weather)
    },
    lift: ({ disk }) => disk.free(),
  },
  {
    name: 'SIGSTOP',
    seconds: 20,
    allows: { served: true, stops: true },
    strike: ({ gateway }) => gateway.signal('SIGSTOP'),
    lift: ({ gateway }) => gateway.signal('SIGCONT'),
  },
  {
    name: 'kill -9',
    seconds: 1,
    // The fault begins while the scanners' connections are being made.
    scansAfterMs: 0,
    allows: { served: true, kills: true },
    strike: async ({ gateway }) => {
      await pause(KILLED_AFTER_MS)
      await gateway.kill()
    },
    lift: ({ gateway }) => gateway.start(),
  },
]

export const DISK_FULL = 'disk full'

/** The faults of the one-minute storm in every test run. Each lasts a few seconds. */
export const SHORT_FAULTS: readonly StormFault[] = ['status 099', 'resets', 'garbage', 'kill -9'].map(
  (name) => {
    const fault = FAULTS.find((one) => one.name === name)
    if (fault === undefined) throw new Error(`no fault is called ${name}`)
    return { ...fault, seconds: Math.min(5, fault.seconds) }
  },
)

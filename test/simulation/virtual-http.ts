import type { HttpHeaders } from '../../app/service/headers.ts'
import type { Http, HttpOutcome, HttpRequest, HttpStreamListener } from '../../main/ports/ports.ts'
import type { SimulatedService } from '../../main/simulator/simulated-service.ts'
import type { Answer, ServiceReply, ServiceRequest } from '../../main/simulator/wire.ts'
import type { FaultProfile } from './fault-profile.ts'
import { FAIR } from './fault-profile.ts'
import { StreamLine } from './stream-line.ts'
import type { VirtualClock } from './virtual-clock.ts'
import type { VirtualRandom } from './virtual-random.ts'
import { headersOf, outcomeOf, serviceRequestOf } from './wire-form.ts'

/** What happens to one request on the network. */
type RequestFault =
  | 'arrives'
  | 'lost-request'
  | 'lost-answer'
  | 'cut'
  | 'black-hole'
  | 'late'
  | 'duplicated'
  | 'portal'
  | 'throttled'

/** `draw` is a random number in [0, 1). One is enough, because a request has at most one fault. */
function requestFaultOf(faultProfile: FaultProfile, draw: number): RequestFault {
  let left = draw
  for (const [requestFault, probability] of [
    ['lost-request', faultProfile.lostRequest],
    ['lost-answer', faultProfile.lostAnswer],
    ['cut', faultProfile.cutAnswer],
    ['black-hole', faultProfile.blackHole],
    ['late', faultProfile.lateAnswer],
    ['duplicated', faultProfile.duplicated],
    ['portal', faultProfile.portal],
    ['throttled', faultProfile.throttled],
  ] as const) {
    if (left < probability) return requestFault
    left -= probability
  }
  return 'arrives'
}

/** The older variant of a 429, without any quota header (service 2.3). */
const THROTTLED: Answer = {
  kind: 'answer',
  status: 429,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ Error: 'TooManyRequests', Message: 'Rate quota exceeded' }),
}
/**
 * The 429 of a proxy in front of the service. It has its own text, and no headers about the service's quotas.
 */
const THROTTLED_IN_FRONT: Answer = {
  kind: 'answer',
  status: 429,
  headers: { 'Content-Type': 'text/html' },
  body: '<html><h1>Too many requests</h1></html>',
}

/** Returns both forms alternately, because proxies in front of the service send either. */
const throttledAnswer = (turn: number): Answer => (turn % 2 === 0 ? THROTTLED : THROTTLED_IN_FRONT)

/** A login page of the network instead of the service. */
const PORTAL_ANSWER: Answer = {
  kind: 'answer',
  status: 200,
  headers: { 'Content-Type': 'text/html' },
  body: '<!doctype html><title>Welcome</title><h1>Network sign-in</h1>',
}

/** Events for an observer of the network. It searches bodies for secrets and rejections. */
export interface Wiretap {
  asked(request: HttpRequest, path: string): void
  /** The caller received its outcome, whatever happened to the request. */
  done(request: HttpRequest, path: string, outcome: HttpOutcome): void
  /** The head of a stream's response arrived. */
  opened?(path: string, status: number, headers: HttpHeaders): void
}

const NOBODY: Wiretap = { asked: () => {}, done: () => {} }

/**
 * The `Http` port without sockets. It passes requests to the simulated service's rules over a network with
 * random faults.
 *
 * It keeps the port's promises. A request reaches the service at most once, except with `duplicated`. An
 * outcome is `not-sent` only if the service can't have received the request. A closed stream reports nothing
 * more.
 */
export class VirtualHttp implements Http {
  faultProfile: FaultProfile = FAIR
  /** How often each fault of the network occurred. */
  readonly requestFaults: Record<string, number> = {}
  readonly #service: SimulatedService
  readonly #clock: VirtualClock
  readonly #random: VirtualRandom
  readonly #tap: Wiretap
  readonly #lines = new Set<StreamLine>()
  /** Increased when the sending process dies. Responses to its requests are then dropped. */
  #process = 0

  constructor(service: SimulatedService, clock: VirtualClock, random: VirtualRandom, tap = NOBODY) {
    this.#service = service
    this.#clock = clock
    this.#random = random
    this.#tap = tap
  }

  send(request: HttpRequest): Promise<HttpOutcome> {
    const asked = serviceRequestOf(request)
    const process = this.#process
    this.#tap.asked(request, asked.path)
    return new Promise((resolve) => {
      let over = false
      const finish = (outcome: HttpOutcome) => {
        if (over || process !== this.#process) return
        over = true
        cancelTimeout()
        this.#tap.done(request, asked.path, outcome)
        if (process === this.#process) resolve(outcome)
      }
      const cancelTimeout = this.#clock.after(request.timeoutMs, () => {
        finish({ kind: 'unknown', why: 'timed out' })
      })
      this.#carry(asked, finish)
    })
  }

  async reach(): Promise<undefined> {}

  open(request: HttpRequest, listener: HttpStreamListener): () => void {
    const asked = serviceRequestOf(request)
    const process = this.#process
    this.#tap.asked(request, asked.path)
    if (process !== this.#process) return () => {}
    const heard: HttpStreamListener = {
      ...listener,
      opened: (status, headers) => {
        this.#tap.opened?.(asked.path, status, headers)
        listener.opened(status, headers)
      },
    }
    const line = new StreamLine(this.#clock, this.#random, heard, () => this.#lines.delete(line))
    this.#lines.add(line)
    const cancelTimeout = this.#clock.after(request.timeoutMs, () => line.lose('timed out'))
    line.whenHeard(cancelTimeout)
    const { faultProfile } = this
    if (faultProfile.offline) {
      this.#clock.happen(this.#random.between(1, 50), () => line.lose('host name not found'))
      return () => line.hangUp()
    }
    const requestFault = this.#requestFault(faultProfile)
    const upMs = this.#latencyMs(faultProfile)
    const downMs = this.#latencyMs(faultProfile)
    if (requestFault === 'lost-request') {
      this.#clock.happen(upMs, () => line.lose('connection lost'))
      return () => line.hangUp()
    }
    if (requestFault === 'throttled') {
      line.answer(this.#throttled(), downMs)
      return () => line.hangUp()
    }
    this.#clock.happen(upMs, () => {
      const reply = this.#service.handle(asked)
      if (requestFault === 'black-hole' || reply.kind === 'silence') {
        // Some time later, the service's own timeouts notice that the client is gone.
        if (reply.kind === 'stream') this.#clock.happen(20_000, () => reply.stream.close())
        return
      }
      if (requestFault === 'lost-answer' || requestFault === 'cut' || reply.kind === 'reset') {
        if (reply.kind === 'stream') this.#clock.happen(1_000, () => reply.stream.close())
        this.#clock.happen(downMs, () => line.lose('connection lost'))
        return
      }
      if (reply.kind === 'stream') line.carry(reply.stream, headersOf(reply.headers), downMs)
      else line.answer(reply.kind === 'cut' ? reply.answer : reply, downMs)
    })
    return () => line.hangUp()
  }

  /** Takes the network down or up. Open connections die, at once or without notice. */
  setFaultProfile(faultProfile: FaultProfile): void {
    this.faultProfile = faultProfile
    if (!faultProfile.offline) return
    for (const line of [...this.#lines]) line.lineDown(this.#random.chance(0.5))
  }

  /** The process has died. Its sockets close, and responses to its requests have no receiver. */
  processDied(): void {
    this.#process += 1
    for (const line of [...this.#lines]) line.hangUp()
  }

  /** The longest silence of an open stream while the machine was awake and the stream was not closed. */
  longestSilenceMs(): number {
    return Math.max(0, ...[...this.#lines].map((line) => line.silentMs()))
  }

  /** To be called once a virtual minute. */
  strikeStreams(): void {
    for (const line of [...this.#lines]) {
      if (!this.#random.chance(this.faultProfile.streamReset)) continue
      this.#count('stream-lost')
      line.lineDown(this.#random.chance(0.7))
    }
  }

  get openLines(): number {
    return this.#lines.size
  }

  #carry(asked: ServiceRequest, finish: (outcome: HttpOutcome) => void): void {
    const { faultProfile } = this
    if (faultProfile.offline) {
      this.#clock.happen(this.#random.between(1, 50), () =>
        finish({ kind: 'not-sent', why: 'host name not found' }),
      )
      return
    }
    const requestFault = this.#requestFault(faultProfile)
    const upMs = this.#latencyMs(faultProfile)
    const downMs =
      requestFault === 'late' ? this.#random.between(5_000, 40_000) : this.#latencyMs(faultProfile)
    const lost = (why: string) => this.#clock.happen(downMs, () => finish({ kind: 'unknown', why }))
    if (requestFault === 'lost-request') {
      lost('connection lost')
      return
    }
    if (requestFault === 'throttled' || requestFault === 'portal') {
      const answer = requestFault === 'portal' ? PORTAL_ANSWER : this.#throttled()
      this.#clock.happen(downMs, () => finish(outcomeOf(answer)))
      return
    }
    this.#clock.happen(upMs, () => {
      const reply = this.#service.handle(asked)
      if (requestFault === 'duplicated' && asked.method === 'GET') this.#service.handle(asked)
      if (requestFault === 'black-hole') return
      if (requestFault === 'lost-answer') lost('connection lost')
      else if (requestFault === 'cut') lost('the response was cut off')
      else this.#deliver(reply, downMs, finish)
    })
  }

  #deliver(reply: ServiceReply, downMs: number, finish: (outcome: HttpOutcome) => void): void {
    switch (reply.kind) {
      case 'answer':
        this.#clock.happen(downMs + (reply.delayMs ?? 0), () => finish(outcomeOf(reply)))
        return
      case 'reset':
        this.#clock.happen(downMs, () => finish({ kind: 'unknown', why: 'connection lost' }))
        return
      case 'cut':
        this.#clock.happen(downMs, () => finish({ kind: 'unknown', why: 'the response was cut off' }))
        return
      case 'stream':
        reply.stream.close()
        return
      case 'silence':
        return
    }
  }

  #count(requestFault: string): void {
    this.requestFaults[requestFault] = (this.requestFaults[requestFault] ?? 0) + 1
  }

  #throttled(): Answer {
    return throttledAnswer(this.requestFaults['throttled'] ?? 0)
  }

  #latencyMs(faultProfile: FaultProfile): number {
    return this.#random.between(...faultProfile.latencyMs)
  }

  #requestFault(faultProfile: FaultProfile): RequestFault {
    const requestFault = requestFaultOf(faultProfile, this.#random.next())
    if (requestFault !== 'arrives') this.#count(requestFault)
    return requestFault
  }
}

import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { CALLER_WAIT_MS } from '../../../app/gateway/request-fields.ts'
import type { AcquireStreamPermit } from '../../../main/api/permit.ts'
import type { AdmittedRequest } from '../../../main/gateway/admitted-request.ts'
import { sendProblem } from '../../../main/gateway/problem.ts'
import { ProgramUse } from '../../../main/gateway/program-use.ts'
import type { Program } from '../../../main/gateway/programs.ts'
import { noToken, unavailable } from '../../../main/gateway/refusals.ts'
import { StreamHub } from '../../../main/gateway/stream-hub.ts'
import { Redactor } from '../../../main/ports/redactor.ts'
import { setUp } from '../streams/scripted-streams.ts'

const decoder = new TextDecoder()

/** The reply to one program, which reads as fast as the test lets it. */
export class FakeReply extends EventEmitter {
  status: number | undefined
  headers: string[] = []
  text = ''
  destroyed = false
  writableEnded = false
  sendDate = true
  /** Whether the program reads nothing. */
  isFrozen = false
  readonly req = { complete: true, method: 'GET' }

  get headersSent(): boolean {
    return this.status !== undefined
  }

  get lines(): readonly string[] {
    return this.text.split(/\r?\n/).filter(Boolean)
  }

  setHeader(): void {}
  flushHeaders(): void {}

  writeHead(status: number, headers: readonly string[] | object): void {
    this.status = status
    this.headers = Array.isArray(headers) ? headers : Object.entries(headers).flat().map(String)
  }

  write(bytes: Uint8Array | string): boolean {
    if (this.destroyed || this.writableEnded) throw new Error('written after its end')
    this.text += typeof bytes === 'string' ? bytes : decoder.decode(bytes)
    return !this.isFrozen
  }

  end(last?: Uint8Array | string): void {
    if (last !== undefined) this.write(last)
    this.writableEnded = true
    // A program that reads nothing does not notice the end, so its connection stays open.
    if (!this.isFrozen) this.emit('close')
  }

  destroy(): void {
    this.destroyed = true
    this.emit('close')
  }

  thaw(): void {
    this.isFrozen = false
    this.emit('drain')
  }
}

export const program = (name: string, traits: Partial<Program> = {}): Program => ({
  id: name,
  name,
  class: 'normal',
  weight: 1,
  keyEnding: 'abcd',
  profile: 'key-1',
  ...traits,
})

/** Shared streams of one key in virtual time, with a service that the test controls. */
export function setUpHub(acquirePermit?: AcquireStreamPermit) {
  const set = setUp(undefined, acquirePermit)
  const uses = new Map<string, ProgramUse>()
  /** The programs that wait for the turn of each request, one list per request. */
  const turns: string[][] = []
  const countsOf = ({ id }: Program) => {
    const use = uses.get(id) ?? new ProgramUse()
    uses.set(id, use)
    return use
  }
  const defects: unknown[] = []
  /** When the queue would let a stream be opened again; unknown unless a test sets it. */
  const room: { atMs: number | undefined } = { atMs: undefined }
  const secrets = new Redactor()
  const hub = new StreamHub({
    secrets,
    streams: set.streams,
    slots: set.slots,
    clock: set.clock,
    timeline: set.timeline,
    turn: () => {
      const waiting: string[] = []
      turns.push(waiting)
      return {
        granted: Promise.resolve(() => {}),
        wait: ({ program: { name } }) => {
          waiting.push(name)
          return () => {}
        },
        tooLate: () => unavailable('its turn did not come'),
      }
    },
    roomAtMs: () => room.atMs,
    countsOf,
    noToken: () => {
      const { access } = set.state
      return noToken(access.kind === 'none' ? access : { kind: 'none', why: 'active' }, set.timeline.now())
    },
    refuse: ({ reply, program: of }, problem) => {
      countsOf(of).refused += 1
      sendProblem(reply, problem)
    },
    forwarded: (of, category) => countsOf(of).forwarded(category, set.timeline.now()),
    changed: () => {},
    defect: (cause) => void defects.push(cause),
  })
  const serve = (path: string, reply: FakeReply, of: Program, maxWaitMs: number): boolean => {
    const request: AdmittedRequest = {
      program: of,
      method: 'GET',
      pathAndQuery: path,
      accept: undefined,
      acceptEncoding: undefined,
      contentType: undefined,
      contentEncoding: undefined,
      maxWaitMs,
      body: undefined,
      reply: reply as unknown as ServerResponse,
    }
    return hub.serve(request)
  }
  const ask = async (
    path: string,
    of: Program = program('bot'),
    maxWaitMs: number = CALLER_WAIT_MS.usual,
  ): Promise<FakeReply> => {
    const reply = new FakeReply()
    if (!serve(path, reply, of, maxWaitMs)) throw new Error('not shared')
    await set.clock.advance(0)
    return reply
  }
  /** Whether a stream would be shared; it is not read. */
  const isShared = (path: string): boolean => {
    const reply = new FakeReply()
    const isServed = serve(path, reply, program('asks'), CALLER_WAIT_MS.usual)
    reply.destroy()
    return isServed
  }
  /** Sends these lines on the newest connection. */
  const says = (...lines: readonly string[]) => set.service.says(lines.map((line) => `${line}\r\n`).join(''))
  /** How many connections were opened upstream until now. */
  const opened = () => set.http.streams.length
  return { ...set, hub, ask, isShared, says, opened, turns, countsOf, defects, room, secrets }
}

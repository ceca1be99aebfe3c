import type { IpcMainInvokeEvent } from 'electron'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AppContract, contract } from '../../../../app/contract/contract.ts'
import type { Handlers } from '../../../../app/contract/ipc.ts'
import { isOurFrame, type Reply, serve } from '../../../../main/hosts/desktop/ipc.ts'
import { GOOD_ARGUMENTS } from '../../../app/contract/good-arguments.ts'
import { proves } from '../../../proof/proves.ts'

const RUNS = 10_000
const channels = Object.entries(contract)
  .filter(([, { kind }]) => kind === 'command')
  .map(([name]) => name)

type Listener = (event: IpcMainInvokeEvent, arg: unknown) => Promise<Reply>

/** Every command of the contract, with a sender check, and with handlers that only record. */
function wire(isTrusted: (event: IpcMainInvokeEvent) => boolean) {
  const listeners = new Map<string, Listener>()
  const reached: unknown[] = []
  const handler = (arg: unknown) => void reached.push(arg)
  const handlers = Object.fromEntries(channels.map((name) => [name, handler]))
  const ipc = { handle: (name: string, listener: Listener) => void listeners.set(name, listener) }
  serve(contract, handlers as unknown as Handlers<AppContract>, ipc, isTrusted, { note: () => {} })
  const send = (name: string, event: object, arg: unknown) => {
    const listener = listeners.get(name)
    if (listener === undefined) throw new Error(`no ${name}`)
    return listener(event as IpcMainInvokeEvent, arg)
  }
  return { reached, send }
}

const MARK = 'h0stile-mark'
const hostileText = fc.oneof(
  fc.string(),
  fc.constantFrom(
    MARK,
    `${MARK}\n<script>`,
    '__proto__',
    'constructor',
    '../../etc',
    '\u0000',
    'live',
    'positions',
    'report-csv',
  ),
  fc.nat(6000).map((length) => 'x'.repeat(length)),
)
const hostileValue = fc.oneof(
  hostileText,
  fc.constantFrom<unknown>(null, undefined, true, NaN, Infinity, -0, -1, 1e308, 0.5, 2, 300, 301, [], {}, 1n),
  fc.dictionary(hostileText, hostileText, { maxKeys: 3 }),
  fc.anything({ maxDepth: 2, withDate: true, withMap: true, withSet: true, withTypedArray: true }),
)
/** Every field that some command takes, and names that objects have anyway. */
const KEYS = [
  ...new Set(Object.values(GOOD_ARGUMENTS).flatMap((good) => Object.keys(good))),
  'baseUrl',
  'audience',
  'cancelRevoke',
  '__proto__',
  'toString',
]
/** Values close to the expected ones, which random noise never contains. */
const hostile = fc.oneof(
  { weight: 3, arbitrary: fc.dictionary(fc.constantFrom(...KEYS), hostileValue, { maxKeys: 8 }) },
  { weight: 1, arbitrary: hostileValue },
)

/** The values that a handler may receive, described independently of the contract's schemas. */
function isTame(value: unknown, depth = 0): boolean {
  if (value === undefined || typeof value === 'boolean') return true
  // `null` is allowed for members only: it removes the member.
  if (value === null) return depth > 0
  if (typeof value === 'number') return Number.isFinite(value) && (value >= 0 || Object.is(value, -0))
  if (typeof value === 'string') return value.length <= 4096
  if (Array.isArray(value)) return value.length < 100 && value.every((inner) => isTame(inner, depth + 1))
  if (typeof value !== 'object' || depth > 1) return false
  const entries = Object.entries(value)
  return (
    Object.getPrototypeOf(value) === Object.prototype &&
    (depth > 0 || entries.every(([key]) => KEYS.includes(key))) &&
    entries.every(([, inner]) => isTame(inner, depth + 1))
  )
}

/**
 * The values are created once for all commands, because creating them takes far longer than rejecting them.
 * The seed reproduces a failure.
 */
const seed = Date.now() % 2 ** 31
const payloads = fc.sample(hostile, { seed, numRuns: RUNS })
const url = fc.oneof(
  fc.webUrl(),
  fc.string(),
  fc.constantFrom(
    'app://headroom/',
    'app://headroom.evil.test/',
    'app://x@headroom/',
    'file:///',
    'APP://evil/',
  ),
)
const strangers = fc
  .sample(fc.record({ id: fc.constantFrom(1, 2), url, isInside: fc.boolean(), isGone: fc.boolean() }), {
    seed,
    numRuns: 2 * RUNS,
  })
  .filter(
    (sender) =>
      sender.id !== 1 ||
      sender.isInside ||
      sender.isGone ||
      !/^app:\/\/headroom(?:[/?#]|$)/i.test(sender.url.trim()),
  )
  .slice(0, RUNS)

describe.each(channels)(`the command %s (seed ${seed})`, (name) => {
  it('rejects 10,000 malformed payloads with a line that repeats none of them, or gets a valid one', async () => {
    const { reached, send } = wire(() => true)
    const wrong: unknown[] = []
    for (const payload of payloads) {
      reached.length = 0
      const reply = await send(name, {}, payload)
      const isRight =
        'error' in reply
          ? reached.length === 0 &&
            reply.error.startsWith(`${name}: `) &&
            reply.error.length < 300 &&
            !reply.error.includes(MARK)
          : reached.length === 1 && isTame(reached[0])
      if (!isRight) wrong.push({ payload, reply, reached: [...reached] })
    }
    expect(wrong).toEqual([])
    expect(Object.keys(Object.prototype)).toEqual([])
    expect(payloads).toHaveLength(RUNS)
    proves('W2', { level: 2, cases: payloads.length })
  })

  it('is rejected for 10,000 senders that are not the main frame of our page', async () => {
    const { reached, send } = wire((event) => isOurFrame(event, { id: 1 }))
    const answered: unknown[] = []
    for (const [index, { id, url, isInside, isGone }] of strangers.entries()) {
      const senderFrame = { url, parent: isInside ? {} : null, isDestroyed: () => isGone }
      const reply = await send(name, { sender: { id }, senderFrame }, payloads[index])
      if (!('error' in reply) || reply.error !== `${name}: refused`)
        answered.push({ id, url, isInside, isGone })
    }
    expect(answered).toEqual([])
    expect(reached).toEqual([])
    expect(strangers).toHaveLength(RUNS)
    proves('W2', { level: 2, cases: strangers.length })
  })
})

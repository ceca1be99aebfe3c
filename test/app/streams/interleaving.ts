import fc from 'fast-check'
import type { StreamKind } from '../../../app/service/stream-kinds.ts'
import { mergeRuleOf } from '../../../app/streams/merge-rules.ts'
import { ReaderQueue } from '../../../app/streams/reader-queue.ts'
import { SharedState } from '../../../app/streams/shared-state.ts'

/** The form of the frames of one kind, as seen by a client that does not know about sharing. */
interface Shape {
  readonly kind: StreamKind
  readonly options: Readonly<Record<string, string>>
  readonly hasSnapshot: boolean
  /** Frames contain only the changed members. */
  readonly isPartial: boolean
  readonly canDelete: boolean
  /** For bars only: the number of bars that are kept. */
  readonly ring?: number
  readonly isBook?: true
  identity(id: number): Readonly<Record<string, unknown>>
  keyOf(frame: Frame): string
}

type Frame = Readonly<Record<string, unknown>>
type Objects = Map<string, Frame>

const order = (kind: StreamKind, changes: boolean): Shape => ({
  kind,
  options: changes ? { changes: 'true' } : {},
  hasSnapshot: true,
  isPartial: changes,
  canDelete: true,
  identity: (id) => ({
    AccountID: `SIM${id % 2}`,
    [kind === 'positions' ? 'PositionID' : 'OrderID']: String(100 + id),
  }),
  keyOf: ({ AccountID, OrderID, PositionID }) => `${AccountID}/${OrderID ?? PositionID}`,
})

const contract = (kind: StreamKind): Shape => ({
  kind,
  options: {},
  hasSnapshot: false,
  isPartial: true,
  canDelete: false,
  identity: (id) => ({ Legs: [{ Symbol: `MSFT 26C${id}`, Ratio: 1 }] }),
  keyOf: ({ Legs }) => JSON.stringify(Legs),
})

const bars = (kind: StreamKind, ring: number): Shape => ({
  kind,
  options: { barsback: String(ring) },
  hasSnapshot: false,
  isPartial: false,
  canDelete: false,
  ring,
  identity: (id) => ({ TimeStamp: `2026-01-01T00:00:${String(id).padStart(6, '0')}Z` }),
  keyOf: ({ TimeStamp }) => String(TimeStamp),
})

const book = (kind: StreamKind): Shape => ({
  kind,
  options: {},
  hasSnapshot: false,
  isPartial: false,
  canDelete: false,
  isBook: true,
  identity: () => ({ Bids: [] }),
  keyOf: () => 'book',
})

export const SHAPES: readonly Shape[] = [
  order('orders', false),
  order('orders-by-id', true),
  order('positions', true),
  order('positions', false),
  {
    kind: 'quotes',
    options: {},
    hasSnapshot: false,
    isPartial: true,
    canDelete: false,
    identity: (id) => ({ Symbol: `S${id}` }),
    keyOf: ({ Symbol: symbol }) => String(symbol),
  },
  contract('option-quotes'),
  contract('option-chains'),
  book('depth'),
  book('depth-aggregates'),
  bars('barcharts', 1),
  bars('barcharts', 4),
  bars('tickbars', 3),
]

const MEMBERS = ['Last', 'Bid', 'Note'] as const
const OBJECTS = 4

export type Step =
  | { readonly do: 'change'; readonly id: number; readonly member: number; readonly value: number }
  | { readonly do: 'delete'; readonly id: number }
  | { readonly do: 'heartbeat' | 'reconnect' | 'go-away' }
  | { readonly do: 'snapshot'; readonly frames: number }
  | { readonly do: 'join' }
  | { readonly do: 'leave' | 'freeze' | 'thaw'; readonly reader: number }
  | { readonly do: 'read'; readonly reader: number; readonly frames: number }

const small = fc.nat({ max: 7 })
const stepOf = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('change' as const),
      id: small,
      member: small,
      value: fc.integer({ min: -3, max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), id: small }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('heartbeat' as const, 'reconnect' as const, 'go-away' as const),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('snapshot' as const), frames: small }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('join' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('leave' as const, 'freeze' as const, 'thaw' as const),
      reader: small,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('read' as const), reader: small, frames: small }) },
)

/** Any interleaving of frames, joins, leaves, restarts and slow readers. */
export const steps: fc.Arbitrary<readonly Step[]> = fc.array(stepOf, { maxLength: 60, size: 'max' })

/** The service: its objects, and the rest of the first answer that is being sent. */
class Service {
  readonly objects: Objects = new Map()
  readonly #shape: Shape
  #nextBar = 0
  /** The lines of the first answer that the current connection has yet to send. */
  rest: string[] = []
  #count = 0

  constructor(shape: Shape) {
    this.#shape = shape
    for (let id = 0; id < OBJECTS; id += 1) this.change(id, 0, id)
  }

  /** Changes an object. Returns the frame that a connection gets. */
  change(id: number, member: number, value: number): string {
    const { identity, keyOf, isPartial, ring } = this.#shape
    if (ring !== undefined && (id > 4 || this.objects.size === 0)) this.#nextBar += 1
    const own = identity(ring === undefined ? id : this.#nextBar)
    const key = keyOf(own)
    const former = this.objects.get(key)
    this.#count += 1
    const changed = { [MEMBERS[member % MEMBERS.length] ?? 'Last']: value, Count: this.#count }
    const whole = { ...own, Last: 0, Bid: 0, Note: 'é "}', ...former, ...changed }
    this.objects.set(key, whole)
    if (ring !== undefined && this.objects.size > ring) this.objects.delete([...this.objects.keys()][0] ?? '')
    return JSON.stringify(isPartial && former !== undefined ? { ...own, ...changed } : whole)
  }

  delete(id: number): string | undefined {
    const { identity, keyOf, canDelete } = this.#shape
    const own = identity(id)
    if (!canDelete || !this.objects.delete(keyOf(own))) return undefined
    return JSON.stringify({ ...own, Deleted: true })
  }

  /** Opens a connection. Changes from the time without a connection are part of its first answer. */
  open(): void {
    this.rest = this.first()
  }

  /** The whole first answer of a connection that is opened now. */
  first(): string[] {
    const all = [...this.objects.values()].map((object) => JSON.stringify(object))
    return this.#shape.hasSnapshot ? [...all, '{"StreamStatus":"EndSnapshot"}'] : all
  }
}

/** The state that a client derives from the lines that it gets. */
export class Client {
  readonly objects: Objects = new Map()
  ends = 0
  readonly #shape: Shape

  constructor(shape: Shape) {
    this.#shape = shape
  }

  read(line: string): void {
    const frame = JSON.parse(line) as Frame
    if (frame['StreamStatus'] === 'EndSnapshot') {
      this.ends += 1
      return
    }
    if ('Heartbeat' in frame) return
    const key = this.#shape.keyOf(frame)
    if (frame['Deleted'] === true) {
      this.objects.delete(key)
      return
    }
    const former = this.#shape.isPartial ? this.objects.get(key) : undefined
    this.objects.set(key, { ...former, ...frame })
    const { ring } = this.#shape
    if (ring !== undefined)
      for (const old of [...this.objects.keys()].toSorted().slice(0, -ring)) this.objects.delete(old)
  }

  get state(): string {
    const sorted = [...this.objects].toSorted(([a], [b]) => (a < b ? -1 : 1))
    return JSON.stringify(sorted.map(([, object]) => Object.entries(object).toSorted()))
  }
}

interface Reader {
  readonly queue: ReaderQueue
  readonly client: Client
  isFrozen: boolean
}

export interface Lived {
  /** For each reader, the state that it derived from its lines, and whether it was lost. */
  readonly readers: readonly { readonly client: Client; readonly isLost: boolean }[]
  readonly fresh: Client
  /** Most frames and objects that any reader was owed at once. */
  readonly mostBehind: number
}

const MAX = { frames: 5, bytes: 2_000 }
const encoder = new TextEncoder()
const decoder = new TextDecoder()

/**
 * Runs an interleaving to its end: every connection sends its whole first answer, and every reader reads
 * everything.
 */
export function live(shape: Shape, happened: readonly Step[]): Lived {
  const rule = mergeRuleOf(shape)
  if (rule === undefined) throw new Error('not shared')
  const state = new SharedState(shape, rule, (text) => encoder.encode(text))
  const service = new Service(shape)
  const readers: Reader[] = []
  let mostBehind = 0
  const take = (reader: Reader, most: number) => {
    for (let i = 0; i < most; i += 1) {
      const bytes = reader.queue.take()
      if (bytes === undefined) return
      for (const line of decoder.decode(bytes).trim().split('\n')) reader.client.read(line)
    }
  }
  const hear = (line: string | undefined) => {
    if (line === undefined) return
    for (const frame of state.heard(line)) {
      for (const { queue } of readers) queue.push(frame)
    }
    for (const reader of readers) {
      if (!reader.isFrozen) take(reader, Number.POSITIVE_INFINITY)
      mostBehind = Math.max(mostBehind, reader.queue.behind)
    }
  }
  /**
   * Sends a change. While the first response is being sent, the change becomes a part of it, before
   * `EndSnapshot`.
   */
  const tell = (line: string | undefined) => {
    if (service.rest.length === 0) hear(line)
    else if (line !== undefined) {
      const end = shape.hasSnapshot ? service.rest.pop() : undefined
      service.rest.push(line)
      if (end !== undefined) service.rest.push(end)
    }
  }
  const some = (at: number) => readers[at % Math.max(1, readers.length)]
  service.open()
  state.opened()
  for (const step of happened) {
    switch (step.do) {
      case 'change':
        tell(service.change(step.id, step.member, step.value))
        break
      case 'delete':
        tell(service.delete(step.id))
        break
      case 'heartbeat':
        hear('{"Heartbeat":1}')
        break
      case 'go-away':
        hear('{"StreamStatus":"GoAway"}')
        break
      case 'reconnect':
        // The new connection opens before the old one ends. From here on, nothing from the old one is
        // received.
        service.change(1, 1, 9)
        service.delete(2)
        service.open()
        state.opened()
        break
      case 'snapshot':
        for (const line of service.rest.splice(0, step.frames)) hear(line)
        break
      case 'join': {
        const reader = {
          queue: new ReaderQueue(state, undefined, MAX),
          client: new Client(shape),
          isFrozen: false,
        }
        reader.queue.join()
        readers.push(reader)
        take(reader, Number.POSITIVE_INFINITY)
        break
      }
      case 'leave':
        if (readers.length > 0) readers.splice(step.reader % readers.length, 1)
        break
      case 'freeze':
      case 'thaw': {
        const reader = some(step.reader)
        if (reader) reader.isFrozen = step.do === 'freeze'
        break
      }
      case 'read': {
        const reader = some(step.reader)
        if (reader) take(reader, step.frames)
        break
      }
    }
  }
  for (const line of service.rest.splice(0)) hear(line)
  for (const reader of readers) take(reader, Number.POSITIVE_INFINITY)
  const fresh = new Client(shape)
  for (const line of service.first()) fresh.read(line)
  return {
    readers: readers.map(({ client, queue }) => ({ client, isLost: queue.isLost })),
    fresh,
    mostBehind,
  }
}

/** Checks that every reader ended with the state of a fresh stream, except those that got GoAway. */
export function check(shape: Shape, happened: readonly Step[]): { readonly readers: number } {
  const { readers, fresh, mostBehind } = live(shape, happened)
  // Frames up to the bound, or each object once and the end of a snapshot.
  if (mostBehind > MAX.frames + 10) throw new Error(`a reader was owed ${mostBehind} frames`)
  for (const { client, isLost } of readers) {
    if (isLost && shape.ring === undefined) throw new Error('told to go away without need')
    if (isLost) continue
    if (client.state !== fresh.state) throw new Error(`${client.state}\nis not\n${fresh.state}`)
    if (shape.hasSnapshot && client.ends !== 1) throw new Error(`${client.ends} ends of a snapshot`)
  }
  return { readers: readers.length }
}

import { STREAM_TABLE } from '../service/stream-kinds.ts'
import { frameOf } from './frames.ts'
import { type Members, membersOf, textOfMembers } from './json-members.ts'
import type { MergeRule } from './merge-rules.ts'
import type { StreamAddress } from './stream-address.ts'

/** One frame for the readers of a shared stream, with its line end. */
export type SharedFrame =
  /** About one object. `isDeletion`: it ends the object. */
  | {
      readonly kind: 'object'
      readonly bytes: Uint8Array
      readonly key: string
      readonly isDeletion: boolean
      /** The symbol in capitals, in a stream of quotes. */
      readonly symbol?: string
    }
  | { readonly kind: 'heartbeat' | 'end-snapshot' | 'unmergeable'; readonly bytes: Uint8Array }

interface Entry {
  /** Present where frames change single members. */
  readonly members?: Members
  /** The whole object; computed when it is wanted. */
  text: string | undefined
  /** Its frame for new readers; computed for the first of them. */
  bytes?: Uint8Array
  readonly symbol?: string
}

/** A prefix of keys of symbol errors, which no key of an object has. */
const ERROR_KEY = '!'
const END_SNAPSHOT = '{"StreamStatus":"EndSnapshot"}'
/** Most characters of the objects of one stream; beyond, new readers get a stream of their own. */
const MAX_STATE_LENGTH = 16 << 20

/**
 * The state of one shared stream, merged from its frames by the rule of its kind (service 12).
 *
 * Survives the connection that it came from: frames of the next one are compared with it, so that readers get the
 * differences only. Announcements of a restart and fatal errors are for the reader of the service, not for these readers.
 */
export class SharedState {
  readonly #rule: MergeRule
  readonly #hasSnapshot: boolean
  readonly #isQuotes: boolean
  readonly #encode: (text: string) => Uint8Array
  #objects = new Map<string, Entry>()
  /** The snapshot of a later connection, until its end. */
  #next: Map<string, Entry> | undefined
  /** Objects that a later connection has not told yet. */
  readonly #untold = new Set<string>()
  #connections = 0
  #isComplete = false
  #length = 0
  #lineEnd = '\n'

  constructor({ kind }: Pick<StreamAddress, 'kind'>, rule: MergeRule, encode: (text: string) => Uint8Array) {
    this.#rule = rule
    this.#hasSnapshot = STREAM_TABLE[kind].snapshot
    this.#isQuotes = kind === 'quotes'
    this.#encode = encode
  }

  /** Whether every object of the first answer is known; never for kinds whose first answer has no end. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  /** Whether a later connection has not told its whole first answer yet: readers hear no object until then. */
  get isCatchingUp(): boolean {
    return this.#next !== undefined
  }

  /** Whether a new reader can be given the state: it is not too large. */
  get isJoinable(): boolean {
    return this.#length <= MAX_STATE_LENGTH
  }

  /** Whether an object that is missing may have been there: only the newest are kept. */
  get forgets(): boolean {
    return this.#rule.ring !== undefined
  }

  /** The key of an object that others take the place of, if the kind has one. */
  get provisional(): string | undefined {
    return this.#rule.provisional
  }

  /** Whether the state of an object is kept. */
  has(key: string): boolean {
    return this.#objects.has(key)
  }

  /** How many objects there are. */
  get size(): number {
    return this.#objects.size
  }

  get keys(): Iterable<string> {
    return this.#objects.keys()
  }

  /** The symbol of an object, in a stream of quotes. */
  symbolOf(key: string): string | undefined {
    return this.#objects.get(key)?.symbol
  }

  /** The frame of an object as it stands; `undefined` for one that is not kept. */
  bytesOf(key: string): Uint8Array | undefined {
    const entry = this.#objects.get(key)
    if (entry === undefined) return undefined
    entry.bytes ??= this.#line(textOf(entry))
    return entry.bytes
  }

  textOf(key: string): string | undefined {
    const entry = this.#objects.get(key)
    return entry && textOf(entry)
  }

  get endSnapshot(): Uint8Array {
    return this.#line(END_SNAPSHOT)
  }

  /** A line of Headroom's own, as the service ends its lines. */
  line(text: string): Uint8Array {
    return this.#line(text)
  }

  /** Another connection was opened: what follows is heard from it. `lineEnd`: as its lines end. */
  opened(): void {
    this.#connections += 1
    this.#next = this.#hasSnapshot && this.#connections > 1 ? new Map() : undefined
    this.#untold.clear()
    if (!this.#hasSnapshot) for (const key of this.#objects.keys()) this.#untold.add(key)
  }

  /** How the service ends its lines. */
  set lineEnd(lineEnd: '\n' | '\r\n') {
    this.#lineEnd = lineEnd
  }

  /** The frames that readers get for one line of the service, without its line end. */
  heard(line: string): readonly SharedFrame[] {
    const frame = frameOf(line)
    switch (frame.kind) {
      case 'heartbeat':
        return [{ kind: 'heartbeat', bytes: this.#line(line) }]
      case 'end-snapshot':
        return this.#ended()
      case 'symbol-error':
        return this.#set(`${ERROR_KEY}${frame.symbol}`, { text: line, ...this.#symbol(frame.symbol) }, line)
      case 'data':
        return this.#data(line)
      case 'noise':
        return [{ kind: 'unmergeable', bytes: this.#line(line) }]
      case 'going-away':
      case 'fatal':
      case 'ended':
        return []
    }
  }

  #data(line: string): readonly SharedFrame[] {
    const members = membersOf(line)
    const key = this.#rule.keyOf(members)
    if (key === undefined) return [{ kind: 'unmergeable', bytes: this.#line(line) }]
    if (this.#rule.identity !== undefined && members.get('Deleted') === 'true')
      return this.#deleted(key, line)
    const former = (this.#next ?? this.#objects).get(key)
    const merged =
      this.#rule.merge === 'fields' ? new Map([...(former?.members ?? []), ...members]) : undefined
    const symbol = this.#isQuotes ? textIn(members.get('Symbol')) : undefined
    return this.#set(
      key,
      {
        text: merged === undefined ? line : undefined,
        ...(merged && { members: merged }),
        ...this.#symbol(symbol),
      },
      line,
    )
  }

  #set(key: string, entry: Entry, line: string): readonly SharedFrame[] {
    if (this.#next !== undefined) {
      this.#next.set(key, entry)
      return []
    }
    const former = this.#objects.get(key)
    const isRepeated = this.#untold.delete(key) && former !== undefined && isSame(former, entry)
    if (isRepeated) return []
    this.#count(former, -1)
    if (this.#rule.provisional !== undefined && key !== this.#rule.provisional)
      this.#drop(this.#rule.provisional)
    this.#objects.set(key, entry)
    this.#count(entry, 1)
    this.#trim()
    return [this.#object(key, line, entry.symbol)]
  }

  #deleted(key: string, line: string): readonly SharedFrame[] {
    if (this.#next !== undefined) {
      this.#next.delete(key)
      return []
    }
    this.#drop(key)
    return [{ kind: 'object', bytes: this.#line(line), key, isDeletion: true }]
  }

  /** The end of a first answer: of the first connection it is passed on, of a later one its differences are. */
  #ended(): readonly SharedFrame[] {
    const next = this.#next
    const frames = next === undefined ? [] : this.#differences(next)
    if (next !== undefined) this.#objects = next
    this.#next = undefined
    this.#length = [...this.#objects.values()].reduce((sum, entry) => sum + lengthOf(entry), 0)
    if (this.#isComplete) return frames
    this.#isComplete = true
    return [...frames, { kind: 'end-snapshot', bytes: this.endSnapshot }]
  }

  #differences(next: ReadonlyMap<string, Entry>): SharedFrame[] {
    const frames: SharedFrame[] = []
    for (const key of this.#objects.keys()) {
      if (next.has(key) || key.startsWith(ERROR_KEY)) continue
      frames.push({ kind: 'object', bytes: this.#line(this.#deletion(key)), key, isDeletion: true })
    }
    for (const [key, entry] of next) {
      const former = this.#objects.get(key)
      if (former !== undefined && isSame(former, entry)) continue
      frames.push(this.#object(key, textOf(entry), entry.symbol))
    }
    return frames
  }

  #deletion(key: string): string {
    const members = membersOf(this.textOf(key) ?? '{}')
    const named = (this.#rule.identity ?? []).flatMap((name) => {
      const value = members.get(name)
      return value === undefined ? [] : [[name, value] as const]
    })
    return textOfMembers(new Map([...named, ['Deleted', 'true']]))
  }

  #object(key: string, text: string, symbol: string | undefined): SharedFrame {
    const bytes = this.#line(text)
    return { kind: 'object', bytes, key, isDeletion: false, ...(symbol !== undefined && { symbol }) }
  }

  #drop(key: string): void {
    this.#count(this.#objects.get(key), -1)
    this.#objects.delete(key)
    this.#untold.delete(key)
  }

  #count(entry: Entry | undefined, sign: 1 | -1): void {
    if (entry !== undefined) this.#length += sign * lengthOf(entry)
  }

  #trim(): void {
    const { ring } = this.#rule
    if (ring === undefined || this.#objects.size <= ring) return
    for (const key of this.#objects.keys()) {
      if (key.startsWith(ERROR_KEY)) continue
      this.#drop(key)
      return
    }
  }

  #symbol(symbol: string | undefined): { readonly symbol?: string } {
    return symbol === undefined || !this.#isQuotes ? {} : { symbol: symbol.toUpperCase() }
  }

  #line(text: string): Uint8Array {
    return this.#encode(`${text}${this.#lineEnd}`)
  }
}

function textOf(entry: Entry): string {
  entry.text ??= textOfMembers(entry.members ?? new Map())
  return entry.text
}

/** The value of a member that is a text. */
function textIn(value: string | undefined): string | undefined {
  const parsed: unknown = value === undefined ? undefined : JSON.parse(value)
  return typeof parsed === 'string' ? parsed : undefined
}

function isSame(a: Entry, b: Entry): boolean {
  if (a.members === undefined || b.members === undefined) return a.text === b.text
  if (a.members.size !== b.members.size) return false
  for (const [name, value] of a.members) if (b.members.get(name) !== value) return false
  return true
}

/** Characters of an object, roughly: the text of merged members is not computed for it. */
function lengthOf({ members, text }: Entry): number {
  if (members === undefined) return text?.length ?? 0
  let sum = 2
  for (const [name, value] of members) sum += name.length + value.length + 4
  return sum
}

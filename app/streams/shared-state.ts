import { STREAM_TABLE } from '../service/stream-kinds.ts'
import { frameOf } from './frames.ts'
import { type Members, membersOf, textOfMembers } from './json-members.ts'
import type { MergeRule } from './merge-rules.ts'
import type { StreamAddress } from './stream-address.ts'

/** One frame for the readers of a shared stream, with its line end. */
export type SharedFrame =
  /** A frame about one object. With `isDeletion`, it removes the object. */
  | {
      readonly kind: 'object'
      readonly bytes: Uint8Array
      readonly key: string
      readonly isDeletion: boolean
      /**
       * The requested symbol of a quote frame, in capitals. Absent if the service answers with another name,
       * such as `$SPX` for `$SPX.X`. A frame without a symbol is sent to all readers.
       */
      readonly symbol?: string
    }
  | { readonly kind: 'heartbeat' | 'end-snapshot' | 'unmergeable'; readonly bytes: Uint8Array }

interface Entry {
  /** The object's members. Only for streams whose frames may contain just the changed members. */
  members?: Members
  text: string | undefined
  /** The object's frame for new readers, computed on demand. */
  bytes?: Uint8Array | undefined
  readonly symbol?: string
  /** Approximate length of the object in characters, known without building the merged text. */
  length: number
  /**
   * Total length of the frames that contain the members as substrings. A substring keeps its whole frame in
   * memory.
   */
  heard: number
}

/** Prefix of the keys of symbol errors. No object's key begins with it. */
const ERROR_KEY = '!'
const END_SNAPSHOT = '{"StreamStatus":"EndSnapshot"}'
/** Maximum total length of one stream's objects, in characters. */
export const MAX_STATE_LENGTH = 16 << 20
/** Overhead of an object in addition to its text, in characters. */
const OBJECT_LENGTH = 256
/**
 * If an object's source frames are this many times as long as the object, its members are copied. The frames
 * can then be freed.
 */
const MAX_HEARD = 4

/** Objects by key, and their size. */
class Objects {
  readonly entries = new Map<string, Entry>()
  /** In characters. */
  length = 0

  set(key: string, entry: Entry): void {
    this.length += lengthOf(key, entry) - lengthOf(key, this.entries.get(key))
    this.entries.set(key, entry)
  }

  delete(key: string): void {
    this.length -= lengthOf(key, this.entries.get(key))
    this.entries.delete(key)
  }

  /** Merges a frame's members into an object. Returns whether any of them changed. */
  merge(entry: Entry, members: Members, frameLength: number): boolean {
    const former = entry.members ?? new Map<string, string>()
    entry.members = former
    const lengthBefore = entry.length
    let isChanged = false
    for (const [name, value] of members) {
      const before = former.get(name)
      if (before === value) continue
      isChanged = true
      former.set(name, value)
      entry.length += memberLength(name, value) - (before === undefined ? 0 : memberLength(name, before))
    }
    if (!isChanged) return false
    this.length += entry.length - lengthBefore
    entry.text = undefined
    entry.bytes = undefined
    entry.heard += frameLength
    if (entry.heard > MAX_HEARD * entry.length) {
      const text = textOf(entry)
      entry.members = membersOf(text)
      entry.heard = text.length
    }
    return true
  }
}

/**
 * The state of one shared stream, merged from its frames by the rule of its kind (service 12).
 *
 * The state outlasts a connection. Frames of the next connection are compared with it, so that readers get
 * only the differences. Readers get no restart announcements and no fatal errors, because these are for the
 * gateway.
 */
export class SharedState {
  readonly #rule: MergeRule
  readonly #hasSnapshot: boolean
  readonly #symbols: ReadonlySet<string> | undefined
  readonly #encode: (text: string) => Uint8Array
  #objects = new Objects()
  /** The objects in the first response of a later connection. Set only during that response. */
  #next: Objects | undefined
  /** Keys of objects that the later connection has not sent yet. */
  readonly #pendingKeys = new Set<string>()
  #connections = 0
  #isComplete = false
  #lineEnd = '\n'

  constructor(
    { kind, symbols }: Pick<StreamAddress, 'kind' | 'symbols'>,
    rule: MergeRule,
    encode: (text: string) => Uint8Array,
  ) {
    this.#rule = rule
    this.#hasSnapshot = STREAM_TABLE[kind].snapshot === true
    this.#symbols = symbols
    this.#encode = encode
  }

  /**
   * Whether the whole first response is known. Never true for kinds of streams that do not mark the
   * response's end.
   */
  get isComplete(): boolean {
    return this.#isComplete
  }

  /**
   * Whether a later connection is still sending its first response. Readers get no objects until it is
   * complete.
   */
  get isCatchingUp(): boolean {
    return this.#next !== undefined
  }

  /** Whether the state exceeds the memory limit of a stream. */
  get isTooLarge(): boolean {
    return Math.max(this.#objects.length, this.#next?.length ?? 0) > MAX_STATE_LENGTH
  }

  /** Whether only the newest objects are stored. If so, a missing object may have been dropped. */
  get forgets(): boolean {
    return this.#rule.ring !== undefined
  }

  /**
   * Key of an unfinished object. The object's final version has another key and replaces it. `undefined` if
   * this kind of stream has no such object.
   */
  get provisional(): string | undefined {
    return this.#rule.provisional
  }

  /** Whether an object's state is stored. */
  has(key: string): boolean {
    return this.#objects.entries.has(key)
  }

  get size(): number {
    return this.#objects.entries.size
  }

  /**
   * Keys of the objects for a new reader. Errors of an earlier connection are left out, because they may no
   * longer apply.
   */
  get keys(): Iterable<string> {
    return this.#newReaderKeys()
  }

  /** The requested symbol that an object is about. `undefined` for an object without one. */
  symbolOf(key: string): string | undefined {
    return this.#objects.entries.get(key)?.symbol
  }

  /** The frame of an object in its present state. `undefined` if it is not stored. */
  bytesOf(key: string): Uint8Array | undefined {
    const entry = this.#objects.entries.get(key)
    if (entry === undefined) return undefined
    entry.bytes ??= this.line(textOf(entry))
    return entry.bytes
  }

  textOf(key: string): string | undefined {
    const entry = this.#objects.entries.get(key)
    return entry && textOf(entry)
  }

  get endSnapshot(): Uint8Array {
    return this.line(END_SNAPSHOT)
  }

  /** A line that Headroom adds, with the service's line end. */
  line(text: string): Uint8Array {
    return this.#encode(`${text}${this.#lineEnd}`)
  }

  /** Continues with a new connection. All further lines come from it. */
  opened(): void {
    this.#connections += 1
    this.#next = this.#hasSnapshot && this.#connections > 1 ? new Objects() : undefined
    this.#pendingKeys.clear()
    for (const key of this.#objects.entries.keys())
      if (!this.#hasSnapshot || isError(key)) this.#pendingKeys.add(key)
  }

  set lineEnd(lineEnd: '\n' | '\r\n') {
    this.#lineEnd = lineEnd
  }

  /** Applies one line of the service, without its line end. Returns the frames for readers. */
  heard(line: string): readonly SharedFrame[] {
    const frame = frameOf(line)
    switch (frame.kind) {
      case 'heartbeat':
        return [{ kind: 'heartbeat', bytes: this.line(line) }]
      case 'end-snapshot':
        return this.#ended()
      case 'symbol-error':
        return this.#symbolError(line)
      case 'data':
        return this.#data(line)
      case 'noise':
        return [{ kind: 'unmergeable', bytes: this.line(line) }]
      case 'going-away':
      case 'fatal':
      case 'ended':
        return []
    }
  }

  *#newReaderKeys(): Generator<string, void> {
    for (const key of this.#objects.entries.keys())
      if (!isError(key) || !this.#pendingKeys.has(key)) yield key
  }

  #symbolError(line: string): readonly SharedFrame[] {
    const symbol = textIn(membersOf(line).get('Symbol'))
    return this.#set(errorKeyOf(symbol ?? ''), this.#whole(line, symbol), line)
  }

  #data(line: string): readonly SharedFrame[] {
    const members = membersOf(line)
    const key = this.#rule.keyOf(members)
    if (key === undefined) return [{ kind: 'unmergeable', bytes: this.line(line) }]
    if (this.#rule.identity !== undefined && members.get('Deleted') === 'true')
      return this.#deleted(key, line)
    const symbol = textIn(members.get('Symbol'))
    if (symbol !== undefined) this.#forgetError(symbol)
    if (this.#rule.merge === 'newest') return this.#set(key, this.#whole(line, symbol), line)
    const objects = this.#next ?? this.#objects
    const former = objects.entries.get(key)
    if (former === undefined) return this.#set(key, { ...this.#whole(line, symbol), members }, line)
    const isChanged = objects.merge(former, members, line.length)
    if (objects === this.#next || (this.#pendingKeys.delete(key) && !isChanged)) return []
    return [this.#object(key, line, former.symbol)]
  }

  /** Removes the error of a symbol for which data has arrived. */
  #forgetError(symbol: string): void {
    const key = errorKeyOf(symbol)
    if (this.#next === undefined) this.#drop(key)
    else this.#next.delete(key)
  }

  #whole(line: string, symbol: string | undefined): Entry {
    return { text: line, length: line.length, heard: line.length, ...this.#symbol(symbol) }
  }

  #set(key: string, entry: Entry, line: string): readonly SharedFrame[] {
    if (this.#next !== undefined) {
      this.#next.set(key, entry)
      return []
    }
    const former = this.#objects.entries.get(key)
    const isRepeated = this.#pendingKeys.delete(key) && former !== undefined && isSame(former, entry)
    if (isRepeated) return []
    if (this.#rule.provisional !== undefined && key !== this.#rule.provisional)
      this.#drop(this.#rule.provisional)
    this.#objects.set(key, entry)
    this.#trim()
    return [this.#object(key, line, entry.symbol)]
  }

  #deleted(key: string, line: string): readonly SharedFrame[] {
    if (this.#next !== undefined) {
      this.#next.delete(key)
      return []
    }
    this.#drop(key)
    return [{ kind: 'object', bytes: this.line(line), key, isDeletion: true }]
  }

  /**
   * Called when the first response of a connection is complete. On the first connection, returns an
   * EndSnapshot frame. On a later connection, returns frames for what has changed since the former
   * connection.
   */
  #ended(): readonly SharedFrame[] {
    const next = this.#next
    const frames = next === undefined ? [] : this.#differences(next.entries)
    if (next !== undefined) {
      this.#objects = next
      this.#pendingKeys.clear()
    }
    this.#next = undefined
    if (this.#isComplete) return frames
    this.#isComplete = true
    return [...frames, { kind: 'end-snapshot', bytes: this.endSnapshot }]
  }

  #differences(next: ReadonlyMap<string, Entry>): SharedFrame[] {
    const frames: SharedFrame[] = []
    for (const key of this.keys) {
      if (next.has(key) || isError(key)) continue
      frames.push({ kind: 'object', bytes: this.line(this.#deletion(key)), key, isDeletion: true })
    }
    for (const [key, entry] of next) {
      const former = this.#objects.entries.get(key)
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
    const bytes = this.line(text)
    return { kind: 'object', bytes, key, isDeletion: false, ...(symbol !== undefined && { symbol }) }
  }

  #drop(key: string): void {
    this.#objects.delete(key)
    this.#pendingKeys.delete(key)
  }

  #trim(): void {
    const { ring } = this.#rule
    if (ring === undefined || this.size <= ring) return
    for (const key of this.keys) {
      if (isError(key)) continue
      this.#drop(key)
      return
    }
  }

  #symbol(symbol: string | undefined): { readonly symbol?: string } {
    const inCapitals = symbol?.toUpperCase()
    return inCapitals !== undefined && this.#symbols?.has(inCapitals) ? { symbol: inCapitals } : {}
  }
}

/** `JSON.stringify` copies the text: a substring would keep the whole line in memory. */
const errorKeyOf = (symbol: string): string => `${ERROR_KEY}${JSON.stringify(symbol.toUpperCase())}`

const isError = (key: string): boolean => key.startsWith(ERROR_KEY)

function textOf(entry: Entry): string {
  entry.text ??= textOfMembers(entry.members ?? new Map())
  return entry.text
}

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

const lengthOf = (key: string, entry: Entry | undefined): number =>
  entry === undefined ? 0 : OBJECT_LENGTH + key.length + entry.length

/** Length of a member in JSON: its value, and its name with quotes, a colon and a comma. */
const memberLength = (name: string, value: string): number => name.length + value.length + 4

import { type FrameForm, STREAM_TABLE } from '../service/stream-kinds.ts'
import type { Members } from './json-members.ts'
import type { StreamAddress } from './stream-address.ts'

/** How frames of one kind of stream are merged into the state for a new reader. */
export interface MergeRule {
  /** Key of the object that a frame is about. `undefined` if the frame cannot be merged. */
  keyOf(members: Members): string | undefined
  /**
   * `newest`: the last frame of an object is its state. `fields`: a frame changes only the members that it
   * contains.
   */
  readonly merge: 'newest' | 'fields'
  /** The members that identify an object in a deletion. Absent for kinds without deletions. */
  readonly identity?: readonly string[]
  /** Maximum number of stored objects. The newest are kept. If absent, all are stored. */
  readonly ring?: number
  /** Key of an unfinished object. The final version has another key and replaces it. */
  readonly provisional?: string
}

/** Maximum number of bars that are stored for new readers. A stream with more bars is not shared. */
export const MAX_RING_BARS = 1_000

/** The merge rule for a stream. `undefined` if the stream includes more past data than can be stored. */
export function mergeRuleOf({
  kind,
  options,
}: Pick<StreamAddress, 'kind' | 'options'>): MergeRule | undefined {
  return RULES[STREAM_TABLE[kind].frames](options)
}

type RuleOf = (options: StreamAddress['options']) => MergeRule | undefined

const byMembers =
  (...names: readonly string[]): MergeRule['keyOf'] =>
  (members) => {
    const values = names.map((name) => members.get(name))
    // The values are copied, because a substring would keep the whole frame in memory.
    return values.includes(undefined) ? undefined : JSON.stringify(values)
  }

/** Each frame is a complete object, unless the caller requested only changed members. */
const ofAccounts =
  (id: string): RuleOf =>
  ({ changes }) => ({
    keyOf: byMembers('AccountID', id),
    merge: changes?.toLowerCase() === 'true' ? 'fields' : 'newest',
    identity: ['AccountID', id],
  })

/**
 * A bar is identified by its end time, even while it is open. A stream with a start date may have any number
 * of bars, so its past data can't be stored.
 */
const bars: RuleOf = ({ firstdate, barsback }) => {
  const ring = barsback === undefined ? 1 : wholeOf(barsback)
  if (firstdate !== undefined || ring > MAX_RING_BARS) return undefined
  return { keyOf: byMembers('TimeStamp'), merge: 'newest', ring }
}

const OPEN_BAR = 'open'
/** The bit of `Status` that is set in a closed tick bar. */
const CLOSED_BIT = 8

/** The time of a tick bar changes until the bar closes. */
const tickBars: RuleOf = (options) => {
  const rule = bars(options)
  const isOpen = (members: Members) => (Number(members.get('Status') ?? CLOSED_BIT) & CLOSED_BIT) === 0
  return (
    rule && {
      ...rule,
      keyOf: (members) => (isOpen(members) ? OPEN_BAR : rule.keyOf(members)),
      provisional: OPEN_BAR,
    }
  )
}

const RULES: Readonly<Record<FrameForm, RuleOf>> = {
  // A symbol's first frame has all members. Later frames have only changed members.
  quote: () => ({ keyOf: byMembers('Symbol'), merge: 'fields' }),
  bar: bars,
  'tick-bar': tickBars,
  // Each frame is a whole book.
  book: () => ({ keyOf: () => 'book', merge: 'newest' }),
  contract: () => ({ keyOf: (members) => legsOf(members.get('Legs')), merge: 'fields' }),
  order: ofAccounts('OrderID'),
  position: ofAccounts('PositionID'),
}

const wholeOf = (text: string): number =>
  /^\d{1,6}$/.test(text) ? Math.max(1, Number(text)) : Number.POSITIVE_INFINITY

/** A spread is identified by the symbols and ratios of its legs. */
function legsOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const legs: unknown = JSON.parse(text)
  if (!Array.isArray(legs) || legs.length === 0) return undefined
  return JSON.stringify(
    legs.map((leg: unknown) => {
      const { Symbol: symbol, Ratio: ratio } = (leg ?? {}) as { Symbol?: unknown; Ratio?: unknown }
      return [symbol, ratio]
    }),
  )
}

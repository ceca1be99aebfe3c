import { SLOT_QUOTAS } from '../service/categories.ts'
import { STREAM_TABLE, type StreamRequest, sameRequest } from '../service/stream-kinds.ts'
import type { Plan } from './plan.ts'

/** How the streams of a plan use the slots of one category. */
export interface SlotUse {
  readonly category: string
  /** Number of streams that the programs request. */
  readonly streams: number
  /** Number of distinct streams. Each takes one slot, because the gateway shares equal streams. */
  readonly shared: number
  /** Slots of the category (service 8.2). */
  readonly limit: number
  /** Slots used by streams outside the plan. */
  readonly elsewhere: number
}

/**
 * The slots that a plan takes, in the order of the service's table. Categories without streams are left out.
 */
export function slotUseOf({ programs, slots = {} }: Plan): readonly SlotUse[] {
  const asked = programs.flatMap(({ streams }) => streams)
  return SLOT_QUOTAS.flatMap(({ category, limit }) => {
    const here = Object.hasOwn(slots, category) ? slots[category] : undefined
    const streams = asked.filter(({ kind }) => STREAM_TABLE[kind].category === category)
    return streams.length === 0
      ? []
      : [
          {
            category,
            streams: streams.length,
            shared: differentStreams(streams),
            limit: here?.limit ?? limit,
            elsewhere: here?.elsewhere ?? 0,
          },
        ]
  })
}

/** Number of distinct streams. */
export function differentStreams(streams: readonly StreamRequest[]): number {
  return streams.filter((stream, at) => streams.findIndex((other) => sameRequest(other, stream)) === at)
    .length
}

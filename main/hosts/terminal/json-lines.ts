import { z } from 'zod/mini'
import { healthOf } from '../../../app/conditions/key-status.ts'
import { deskSummary } from '../../../app/contract/desk.ts'
import { eventSchemas, type LoggedEvent } from '../../../app/contract/events.ts'
import { pausedHistory } from '../../../app/contract/key-health.ts'
import { ordersSummary } from '../../../app/contract/orders.ts'
import {
  gatewaySummary,
  programSummary,
  requestQuota,
  type Snapshot,
  signInHostSummary,
  slotQuota,
  snapshotSchema,
  streamSummary,
  unlisted,
} from '../../../app/contract/snapshot.ts'
import type { Changes } from './changes.ts'

/**
 * Version of the JSON lines, `v` in each line. New fields, event kinds or line types don't change it, so
 * readers must ignore unknown ones.
 */
export const JSON_LINES_VERSION = 1

/** Adds the `health` that a snapshot has in JSON lines. */
export const withHealth = (snapshot: Snapshot): Snapshot => ({
  ...snapshot,
  health: healthOf(snapshot, snapshot.at),
})

export const snapshotLine = (snapshot: Snapshot): string => lineOf('snapshot', withHealth(snapshot))
export const changesLine = (changes: Changes): string => lineOf('changes', changes)
export const gatewayReadyLine = (url: string): string => lineOf('gateway-ready', { url })
export const eventJsonLine = (event: LoggedEvent): string => lineOf('event', event)

const lineOf = (type: string, fields: object): string =>
  JSON.stringify({ v: JSON_LINES_VERSION, type, ...fields })

const v = z.literal(JSON_LINES_VERSION)

type Fields = Readonly<Record<string, z.ZodMiniType>>

/**
 * The schema of a list of changed rows. Each row has its `key` and its changed fields. A removed field is
 * `null`.
 */
function someOf(key: string, fields: Fields) {
  const some = Object.entries(fields).map(([name, field]) => [name, z.optional(z.nullable(field))] as const)
  return z.optional(z.array(z.looseObject({ ...Object.fromEntries(some), [key]: z.string() })))
}

const { revision, at, access, health, keystore, probes, refresh, service, settingsAt, verdict } =
  snapshotSchema.shape
const gone = z.optional(z.array(z.string()))
const changes = z.looseObject({
  v,
  type: z.literal('changes'),
  revision,
  at,
  profile: z.string(),
  ...z.partial(z.object({ service, keystore, access, refresh, probes, settingsAt, verdict, health })).shape,
  requests: someOf('category', requestQuota.shape),
  slots: someOf('category', slotQuota.shape),
  streams: someOf('id', streamSummary.shape),
  signInHost: z.optional(z.nullable(signInHostSummary)),
  pausedHistory: z.optional(z.nullable(pausedHistory)),
  gateway: z.optional(z.nullable(gatewaySummary)),
  orders: z.optional(z.nullable(ordersSummary)),
  desk: z.optional(z.nullable(deskSummary)),
  unlisted: z.optional(z.nullable(unlisted)),
  programs: someOf('id', programSummary.shape),
  gone: z.optional(z.looseObject({ requests: gone, slots: gone, streams: gone, programs: gone })),
})

const line = z.union([
  z.looseObject({ v, type: z.literal('snapshot'), ...snapshotSchema.shape }),
  changes,
  z.looseObject({ v, type: z.literal('gateway-ready'), url: z.string() }),
  ...eventSchemas.map(({ shape }) => z.looseObject({ v, type: z.literal('event'), ...shape })),
])

/** The content of `json-lines.schema.json`, for programs that read the lines (JSON Schema 2020-12). */
export function jsonLinesSchema(): string {
  const metadata = z.registry<{
    readonly id?: string
    readonly title?: string
    readonly description?: string
  }>()
  metadata.add(requestQuota, { id: 'RequestQuota' })
  metadata.add(slotQuota, { id: 'SlotQuota' })
  metadata.add(streamSummary, { id: 'StreamSummary' })
  metadata.add(programSummary, { id: 'ProgramSummary' })
  metadata.add(line, {
    title: 'A line of headroom watch --json or headroom status --json',
    description:
      'Times are epoch milliseconds, rates requests per second. Other fields and kinds of events may be added.',
  })
  return `${JSON.stringify(z.toJSONSchema(line, { metadata }), null, 2)}\n`
}

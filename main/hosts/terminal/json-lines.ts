import { z } from 'zod'
import type { LoggedEvent } from '../../../app/contract/events.ts'
import type { Snapshot } from '../../../app/contract/snapshot.ts'
import {
  requestQuotaFields,
  slotQuotaFields,
  snapshotFields,
  streamSummaryFields,
} from '../../control/snapshot-schema.ts'
import { eventSchemas } from '../../history/stored-event.ts'
import type { Changes } from './changes.ts'

/**
 * The version of the JSON lines, in the `v` of each. Fields, event kinds and line types may be added without a new one;
 * a reader passes over what it does not know.
 */
export const JSON_LINES_VERSION = 1

export const snapshotLine = (snapshot: Snapshot): string => lineOf('snapshot', snapshot)
export const changesLine = (changes: Changes): string => lineOf('changes', changes)
export const eventLine = (event: LoggedEvent): string => lineOf('event', event)

const lineOf = (type: string, fields: object): string =>
  JSON.stringify({ v: JSON_LINES_VERSION, type, ...fields })

const v = z.literal(JSON_LINES_VERSION)

type Fields = Readonly<Record<string, z.ZodType>>

/** Some of the fields of a row, and always which one it is; `null` stands for a field that is no longer there. */
function someOf(key: string, fields: Fields) {
  const some = Object.entries(fields).map(([name, field]) => [name, field.nullable().optional()] as const)
  return z.array(z.looseObject({ ...Object.fromEntries(some), [key]: z.string() })).optional()
}

const { revision, at, access, keystore, probes, refresh, service, settingsAt, verdict } = snapshotFields
const gone = z.array(z.string()).optional()
const changes = z.looseObject({
  v,
  type: z.literal('changes'),
  revision,
  at,
  profile: z.string(),
  ...z.object({ service, keystore, access, refresh, probes, settingsAt, verdict }).partial().shape,
  requests: someOf('category', requestQuotaFields),
  slots: someOf('category', slotQuotaFields),
  streams: someOf('id', streamSummaryFields),
  gone: z.looseObject({ requests: gone, slots: gone, streams: gone }).optional(),
})

const line = z
  .union([
    z.looseObject({ v, type: z.literal('snapshot'), ...snapshotFields }),
    changes,
    ...eventSchemas.map(({ shape }) => z.looseObject({ v, type: z.literal('event'), ...shape })),
  ])
  .meta({
    title: 'A line of headroom watch --json and headroom status --json',
    description:
      'Times are epoch milliseconds, rates requests per second. Other fields and kinds of events may be added.',
  })

/** What `json-lines.schema.json` holds, for programs that read the lines (JSON Schema 2020-12). */
export const jsonLinesSchema = (): string => `${JSON.stringify(z.toJSONSchema(line), null, 2)}\n`

import type { LoggedFrame, LoggedRequest, LoggedStream } from './logs.ts'

/** An unrequested end of the gateway's process, or an unexpected error. */
export interface Crash {
  readonly atMs: number
  readonly what: string
}

/** One snapshot of the gateway and the problems in it. */
export interface Look {
  readonly atMs: number
  /** A name and a detail for each problem. The name stays the same as long as the problem lasts. */
  readonly wrong: Readonly<Record<string, string>>
  /** The same for quotas whose bounds are wrong or missing. */
  readonly unbound: Readonly<Record<string, string>>
}

/** How a fault changes the rules for its slot. */
export interface Allowances {
  /** The gateway is killed. Connections to it may break, and streams may end. */
  readonly kills?: true
  /** The gateway is stopped by SIGSTOP. Connections to it may break. */
  readonly stops?: true
  /** The service cuts responses short, and so the gateway does too. */
  readonly cuts?: true
  /** Others leave nothing of the quota, so some 429s cannot be avoided. */
  readonly others?: true
  /** One endpoint rejects the token, and no refresh can help. */
  readonly rejects?: true
  /** The resource host responds all the time, so that each request gets its answer. */
  readonly served?: true
}

/** A fault, its recovery, and the quiet time until the next one. Times are epoch milliseconds. */
export interface Slot {
  readonly fault: string
  readonly allows: Allowances
  readonly startMs: number
  /** The fault is over. */
  readonly endMs: number
  /** The next fault begins. */
  readonly untilMs: number
  /** How late this machine ran the timers that were due within ten seconds after the end. */
  readonly lateMs: number
}

/** Everything that a storm has recorded. */
export interface Recorded {
  readonly slots: readonly Slot[]
  readonly requests: readonly LoggedRequest[]
  readonly streams: readonly LoggedStream[]
  readonly frames: readonly LoggedFrame[]
  readonly crashes: readonly Crash[]
  /** 429s in the service's ledger. Each was a response to the gateway. */
  readonly refusals: readonly { readonly atMs: number; readonly category: string }[]
  readonly looks: readonly Look[]
}

export const RULES = ['crash', 'answers', 'streams', 'refusals', 'state', 'served'] as const
/**
 * `answers`: every request gets exactly one response. `served`: requests do not fail while the service works.
 * The other rules are named after their subject.
 */
export type Rule = (typeof RULES)[number]

export interface Verdict {
  readonly fault: string
  /** The broken rules, each with one sentence per problem. */
  readonly problems: Readonly<Record<Rule, readonly string[]>>
  readonly figures: Figures
}

export interface Figures {
  readonly requests: number
  /** Requests that the service answered, and requests that Headroom itself answered. */
  readonly byService: number
  readonly byHeadroom: number
  readonly broken: number
  readonly failed: number
  readonly streamsLost: number
  readonly refusals: number
  /**
   * Time from the end of the fault until everything was right at least once. Absent if that never happened.
   */
  readonly rightAfterMs?: number
  /** The last thing that became right. */
  readonly rightLast?: string
}

export const RIGHT_WITHIN_MS = 10_000
/** Time after which a connection that breaks with the process is noticed. */
const NOTICED_MS = 1_000
const MOST_SAID = 5

/** Judges every slot, with everything that began in it. */
export function judge(record: Recorded): readonly Verdict[] {
  return record.slots.map((slot) => judgeSlot(slot, record))
}

export const isBroken = ({ problems }: Verdict): boolean => RULES.some((rule) => problems[rule].length > 0)

function judgeSlot(slot: Slot, record: Recorded): Verdict {
  const within = (atMs: number) => atMs >= slot.startMs && atMs < slot.untilMs
  const requests = record.requests.filter(({ sentAtMs }) => within(sentAtMs))
  const crashes = record.crashes.filter(({ atMs }) => within(atMs))
  const lost = record.streams.filter(
    ({ endedAtMs }) => endedAtMs !== undefined && within(endedAtMs) && !isOfKill(record.slots, endedAtMs),
  )
  const refusals = record.refusals.filter(({ atMs }) => within(atMs))
  const failed = requests.filter((request) => hasFailed(request, record.slots))
  const right = rightness(slot, record)
  return {
    fault: slot.fault,
    problems: {
      crash: crashes.map(({ what }) => `the gateway ${what}`),
      answers: said(requests.flatMap((request) => answerProblem(request, slot, record.slots))),
      streams: said(
        lost.map(({ reader, why = '', endedAtMs = 0 }) => ({
          like: `${reader} ${why}`,
          what: `${reader} ended at ${secondsOf(endedAtMs, slot)}: ${why}`,
        })),
      ),
      refusals: slot.allows.others
        ? []
        : said(
            refusals.map(({ category, atMs }) => ({
              like: category,
              what: `429 for ${category} at ${secondsOf(atMs, slot)}`,
            })),
          ),
      state: right.problems,
      served: said(
        failed.map(({ program, path, status, by, sentAtMs }) => ({
          like: `${program} ${status} ${by}`,
          what: `${program} ${path}: ${status} by ${by} at ${secondsOf(sentAtMs, slot)}`,
        })),
      ),
    },
    figures: {
      requests: requests.length,
      byService: requests.filter(({ by }) => by === 'service').length,
      byHeadroom: requests.filter(({ by }) => by === 'headroom').length,
      broken: requests.filter(({ broken }) => broken !== undefined).length,
      failed: failed.length,
      streamsLost: lost.length,
      refusals: refusals.length,
      ...(right.afterMs !== undefined && { rightAfterMs: right.afterMs }),
      ...(right.last !== undefined && { rightLast: right.last }),
    },
  }
}

/** A broken rule and its subject. Of many similar ones, only one is reported. */
interface Finding {
  readonly like: string
  readonly what: string
}

/** One sentence for all similar cases, with the first few of them. */
function said(findings: readonly Finding[]): readonly string[] {
  const sentences = [...Map.groupBy(findings, ({ like }) => like).values()].map(
    ([first, ...alike]) => `${first?.what}${alike.length === 0 ? '' : ` (and ${alike.length} alike)`}`,
  )
  const more = sentences.length - MOST_SAID
  return more > 0 ? [...sentences.slice(0, MOST_SAID), `and ${more} more`] : sentences
}

const secondsOf = (atMs: number, { startMs }: Slot): string => `${((atMs - startMs) / 1000).toFixed(1)} s`

/** Whether the gateway was down between the two times because the storm had killed it. */
const wasKilled = (slots: readonly Slot[], fromMs: number, toMs: number): boolean =>
  slots.some(
    ({ allows, startMs, endMs }) => allows.kills === true && fromMs <= endMs + NOTICED_MS && toMs >= startMs,
  )

const isOfKill = (slots: readonly Slot[], atMs: number): boolean => wasKilled(slots, atMs, atMs)

function answerProblem(request: LoggedRequest, slot: Slot, slots: readonly Slot[]): readonly Finding[] {
  const { program, path, sentAtMs, endedAtMs, heads, broken } = request
  const finding = (what: string) => [
    { like: `${program} ${what}`, what: `${program} ${path}, sent at ${secondsOf(sentAtMs, slot)}, ${what}` },
  ]
  if (heads > 1) return finding(`was answered ${heads} times`)
  if (endedAtMs === undefined) return finding('was never answered')
  if (broken === undefined) return heads === 1 ? [] : finding('ended without an answer')
  const mayBreak =
    wasKilled(slots, sentAtMs, endedAtMs) ||
    slots.some(
      ({ allows, startMs, endMs }) =>
        (allows.stops === true || (allows.cuts === true && heads === 1)) &&
        sentAtMs <= endMs + NOTICED_MS &&
        endedAtMs >= startMs,
    )
  return mayBreak ? [] : finding(`broke: ${broken}`)
}

/**
 * Whether a request failed that the service would have answered. A fault excuses every request that was under
 * way at some time between its start and ten seconds after its end, even one from the previous slot.
 */
function hasFailed(
  { status, sentAtMs, endedAtMs = sentAtMs }: LoggedRequest,
  slots: readonly Slot[],
): boolean {
  if (status === undefined || !(status >= 500 || status === 401)) return false
  if (wasKilled(slots, sentAtMs, endedAtMs)) return false
  return !slots.some(
    ({ allows, startMs, endMs, lateMs }) =>
      (allows.served !== true || (status === 401 && allows.rejects === true)) &&
      sentAtMs <= endMs + RIGHT_WITHIN_MS + lateMs &&
      endedAtMs >= startMs,
  )
}

/** A problem, and when it was first absent after the end of the fault. */
interface Right {
  readonly what: string
  readonly atMs: number | undefined
}

/**
 * Share of looks in which a problem may occur again. A token refresh that is due shows in one or two looks.
 */
const MAY_BE_WRONG_AGAIN = 0.1

/**
 * For each problem after the end of the fault, the time at which it was first absent. It must stay absent.
 * Only bounds of quotas may be wrong again, because they are right in 95 of 100 looks, and wrong looks follow
 * one another.
 */
function rightness(
  slot: Slot,
  { looks, frames, streams }: Recorded,
): { readonly afterMs?: number; readonly last?: string; readonly problems: readonly string[] } {
  const withinMs = RIGHT_WITHIN_MS + slot.lateMs
  // A slot is at least as long as the time allowed for recovery, unless the storm is cut short.
  const after = looks.filter(({ atMs }) => atMs > slot.endMs && atMs < slot.untilMs)
  if (after.length === 0) return { problems: ['no snapshot came after the end'] }
  const rights: Right[] = []
  const settled = after.filter(({ atMs }) => atMs > slot.endMs + withinMs)
  const again: Finding[] = []
  for (const kind of ['wrong', 'unbound'] as const) {
    for (const name of new Set(after.flatMap((look) => Object.keys(look[kind])))) {
      const first = after.find((look) => !(name in look[kind]))
      const last = after.findLast((look) => name in look[kind])?.[kind][name]
      rights.push({ what: `${name}: ${last}`, atMs: first?.atMs })
      const wrongAgain = settled.filter((look) => name in look[kind]).length
      if (kind === 'wrong' && first !== undefined && wrongAgain > settled.length * MAY_BE_WRONG_AGAIN)
        again.push({
          like: name,
          what: `${name}: ${last}, in ${wrongAgain} of ${settled.length} later looks`,
        })
    }
  }
  const readers = new Set(streams.map(({ reader }) => reader))
  for (const reader of readers) {
    const first = frames.find((frame) => frame.reader === reader && frame.atMs > slot.endMs)
    rights.push({ what: `${reader}: no frame`, atMs: first?.atMs })
  }
  const late = rights.filter(({ atMs }) => atMs === undefined || atMs - slot.endMs > withinMs)
  const isRight = rights.every(({ atMs }) => atMs !== undefined)
  const last = rights.reduce<Right | undefined>(
    (latest, right) => ((right.atMs ?? 0) > (latest?.atMs ?? 0) ? right : latest),
    undefined,
  )
  return {
    ...(isRight && { afterMs: Math.max(after[0]!.atMs, last?.atMs ?? 0) - slot.endMs }),
    ...(isRight && last && { last: last.what }),
    problems: said([
      ...late.map(({ what, atMs }) => ({
        like: what,
        what:
          atMs === undefined
            ? `${what}, to the end of the slot`
            : `${what}, right only ${((atMs - slot.endMs) / 1000).toFixed(1)} s after the end`,
      })),
      ...again,
    ]),
  }
}

import { useEffect, useMemo, useState } from 'react'
import type { RecordedUses } from '../../app/contract/history.ts'
import { HOUR_MS, MINUTE_MS } from '../../app/contract/units.ts'
import type { Plan } from '../../app/plan/plan.ts'
import { seededChance } from '../../app/plan/planned-day.ts'
import type { RecordedMinute } from '../../app/plan/recorded.ts'
import { type Replay, replayInSlices } from '../../app/plan/replay.ts'
import { OTHERS_NAME, OWN_NAME, plannedName, type RunningPlan } from '../../app/plan/running.ts'
import {
  type RecordedProgram,
  type WhatIfDay,
  whatIfArrivals,
  withoutPrograms,
} from '../../app/plan/what-if.ts'
import type { WindowApi } from '../api/window-api.ts'
import type { WindowClock } from '../api/window-clock.ts'
import type { PlanDraft } from '../state/plan-draft.ts'
import { useParts } from '../state/window-parts.ts'

export const RECORDED_MS = 24 * HOUR_MS
/** Length of a day if nothing is recorded: market hours. */
const MARKET_MS = 6.5 * HOUR_MS
/** Length of one interval of the day in the chart, in milliseconds. */
export const STRETCH_MS = 180_000
const REPLAY = { maxWaitMs: 300_000, stretchMs: STRETCH_MS }
/** The result for a day with too many requests to replay. */
const TOO_BUSY: Replay = { waits: [], levels: [], upstreamRefusals: 0 }
const NOTHING: RecordedUses = { rows: {}, programs: [] }
/** Maximum duration of the work between two pauses, in milliseconds. Less than a frame. */
const SLICE_MS = 8

export interface PlannedDays {
  readonly fromMs: number
  readonly lengthMs: number
  /** Whether the day was recorded. If not, it was generated from the plan's rates. */
  readonly isRecorded: boolean
  /** Recorded minutes of the last 24 hours. */
  readonly minutes: number
  readonly before: Replay
  /** Equal to `before` if nothing was changed. */
  readonly after: Replay
  /** The plan without the change. Its limits may differ from those of `plan`. */
  readonly base: Plan
  readonly plan: Plan
  readonly isTooBusy: boolean
}

/** Replays the day with and without the change. `undefined` until the first replay has finished. */
export function useDay(draft: PlanDraft): {
  readonly days: PlannedDays | undefined
  readonly isBehind: boolean
} {
  const { clock } = useParts()
  const { base, plan } = draft
  const day = useRecordedDay(draft)
  const [before, setBefore] = useState<{ readonly day: RecordedDay; readonly replay: Replay }>()
  const [after, setAfter] = useState<{ readonly plan: Plan; readonly replay: Replay }>()
  const basePlan = base.plan
  useEffect(() => {
    if (day === undefined) return
    return replayed(clock, basePlan, day, (replay) => setBefore({ day, replay }))
  }, [clock, basePlan, day])
  useEffect(() => {
    if (day === undefined || plan === basePlan) return
    return replayed(clock, plan, day, (replay) => setAfter({ plan, replay }))
  }, [clock, plan, basePlan, day])
  const isDone = before !== undefined && before.day === day
  const changed = plan === basePlan ? undefined : after
  // The days are memoised, because redrawing the chart of a day takes longer than computing the verdict.
  const days = useMemo((): PlannedDays | undefined => {
    if (before === undefined || before.day !== day) return undefined
    const { fromMs, lengthMs, recorded, minutes } = before.day
    return {
      fromMs,
      lengthMs,
      isRecorded: recorded.length > 0,
      minutes,
      before: before.replay,
      after: changed?.replay ?? before.replay,
      base: basePlan,
      plan: changed?.plan ?? basePlan,
      isTooBusy: before.replay === TOO_BUSY || changed?.replay === TOO_BUSY,
    }
  }, [before, day, changed, basePlan])
  return { days, isBehind: !isDone || days?.plan !== plan }
}

/** The recorded day of a key, fetched once for each new draft. */
function useRecordedDay({ profile, sinceMs, base }: PlanDraft): RecordedDay | undefined {
  const { api } = useParts()
  const [asked, setAsked] = useState<{ readonly of: RunningPlan; readonly day: RecordedDay }>()
  useEffect(() => {
    let stopped = false
    const answered = (day: RecordedDay) => {
      if (!stopped) setAsked({ of: base, day })
    }
    // Without a response, the day is generated from the plan. The banner reports a lost host.
    recordedDay(api, { profile, base, sinceMs }).then(answered, () =>
      answered(dayOf({ base, uses: NOTHING, toMs: sinceMs })),
    )
    return () => {
      stopped = true
    }
  }, [api, profile, sinceMs, base])
  return asked?.of === base ? asked.day : undefined
}

interface DayAsked {
  readonly profile: string
  readonly base: RunningPlan
  readonly sinceMs: number
}

/** Fetches the recorded use of the 24 hours before a given time. */
export async function recordedDay(
  api: Pick<WindowApi, 'recordedUses'>,
  { profile, base, sinceMs }: DayAsked,
): Promise<RecordedDay> {
  const toMs = Math.floor(sinceMs / MINUTE_MS) * MINUTE_MS
  const uses = await api.recordedUses({ profile, fromMs: Math.max(0, toMs - RECORDED_MS), toMs })
  return dayOf({ base, uses, toMs })
}

/** A recorded day. `minutes` is the number of recorded minutes, including minutes without requests. */
export interface RecordedDay extends WhatIfDay {
  readonly minutes: number
}

interface DayParts {
  readonly base: RunningPlan
  readonly uses: RecordedUses
  readonly toMs: number
}

/**
 * The day to replay. It begins at the first recorded minute of the last 24 hours. Without a recording, it has
 * the length of market hours. Programs that no longer exist are left out.
 *
 * A recording does not name the programs of the desk's other machines. In the categories that these programs
 * use now, the programs' planned requests replace the machines' recorded requests.
 */
export function dayOf({ base, uses: { rows, programs }, toMs }: DayParts): RecordedDay {
  const { plan, elsewhere: onOtherMachines = [] } = base
  const replaced = new Set(
    plan.programs.flatMap(({ name, requests }) =>
      onOtherMachines.includes(name) ? requests.map(({ category }) => category) : [],
    ),
  )
  const minutesOf = (requests: (own: number, others: number) => number): readonly RecordedMinute[] =>
    Object.entries(rows).flatMap(([category, all]) =>
      all.flatMap(([atMs, own, elsewhere, desk = 0]) => {
        const count = requests(own, replaced.has(category) ? elsewhere - desk : elsewhere)
        return count > 0 ? [{ category, atMs, requests: count }] : []
      }),
    )
  const all = programs.map(({ program, category, minutes: own }) => ({
    program: plannedName(program),
    minutes: own.map(([atMs, requests]) => ({ category, atMs, requests })),
  }))
  const present = plan.programs.map(({ name }) => ({
    program: name,
    minutes: all.filter(({ program }) => program === name).flatMap((one) => one.minutes),
  }))
  const own = withoutPrograms(
    minutesOf((count) => count),
    all,
  )
  const recorded: readonly RecordedProgram[] = [
    ...present.filter(({ program }) => program !== OWN_NAME && program !== OTHERS_NAME),
    { program: OWN_NAME, minutes: own },
    { program: OTHERS_NAME, minutes: minutesOf((_, others) => others) },
  ].filter((one) => one.minutes.length > 0)
  const hasAny = recorded.length > 0
  const first = recorded.reduce(
    (least, one) => one.minutes.reduce((at, { atMs }) => Math.min(at, atMs), least),
    toMs,
  )
  const fromMs = hasAny ? first : toMs - MARKET_MS
  const minutes = new Set(Object.values(rows).flatMap((row) => row.map(([atMs]) => atMs))).size
  return { base: plan, recorded, fromMs, lengthMs: toMs - fromMs, minutes, chance: seededChance() }
}

/**
 * Replays a day in slices, so that the window stays responsive. Returns a function that cancels the replay.
 */
function replayed(clock: WindowClock, plan: Plan, day: WhatIfDay, done: (replay: Replay) => void) {
  let cancel = () => {}
  const begin = () => {
    const withOwn = { ...plan, programs: recordedPrograms(plan, day) }
    const arrivals = whatIfArrivals(withOwn, { ...day, chance: seededChance() })
    if (arrivals === undefined) return done(TOO_BUSY)
    const slices = replayInSlices(withOwn, arrivals, REPLAY)
    const work = () => {
      const endMs = clock.wallMs() + SLICE_MS
      let slice = slices.next()
      while (slice.done !== true && clock.wallMs() < endMs) slice = slices.next()
      if (slice.done === true) done(slice.value)
      else cancel = clock.after(0, work)
    }
    work()
  }
  cancel = clock.after(0, begin)
  return () => cancel()
}

/** The programs of a plan. Headroom and others are added if only the recording has them. */
function recordedPrograms(plan: Plan, { base, recorded }: WhatIfDay): Plan['programs'] {
  const has = (all: Plan['programs'], name: string) => all.some((program) => program.name === name)
  const missing = recorded.filter(
    ({ program }) => !has(plan.programs, program) && !has(base.programs, program),
  )
  return [
    ...plan.programs,
    ...missing.map(({ program }) => ({
      name: program,
      class: program === OTHERS_NAME ? ('critical' as const) : ('background' as const),
      weight: 1,
      requests: [],
      streams: [],
    })),
  ]
}

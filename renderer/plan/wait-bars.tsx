import type { PlannedProgram } from '../../app/plan/plan.ts'
import { OTHERS_NAME, OWN_NAME } from '../../app/plan/running.ts'
import { waitText } from '../../app/status/durations.ts'
import { minuteText } from '../../app/status/moments.ts'
import { classesOf } from '../components/classes.ts'
import { fillOf, Swatch } from '../components/swatch.tsx'
import type { DayRow } from './day-chart.tsx'
import sheet from './plan-day.module.css'

const css = classesOf(sheet)

/** Label of others' wait. Others bypass the gateway, so only the replay makes them wait. */
const OTHERS_WAIT = 'Others, if they used the gateway'

interface WaitBarsProps {
  readonly rows: readonly DayRow[]
  readonly programs: readonly PlannedProgram[]
  /** Full hours, epoch ms. */
  readonly ticks: readonly number[]
}

/** The longest wait in each interval of a day, as a bar with the pattern of the program that waited. */
export function WaitBars({ rows, programs, ticks }: WaitBarsProps) {
  const bars = waitBars(rows)
  const longest = Math.max(...bars.map(({ seconds }) => seconds))
  const [fromMs, toMs] = [rows[0]?.at ?? 0, rows.at(-1)?.at ?? 1]
  const left = (at: number) => `${(100 * (at - fromMs)) / (toMs - fromMs)}%`
  const placeOf = (name: string) => programs.findIndex((one) => one.name === name)
  const waiting = programs.filter(({ name }) => bars.some(({ by, seconds }) => by === name && seconds > 0))
  const fill = ({ by }: WaitBar) => fillOf(by ?? OWN_NAME, placeOf(by ?? OWN_NAME))
  return (
    <div className={css('waits-chart')}>
      <p className={css('waits-label')}>
        longest wait
        {waiting.map(({ name }) => (
          <span key={name}>
            <Swatch name={name} at={placeOf(name)} /> {name === OTHERS_NAME ? OTHERS_WAIT : name}
          </span>
        ))}
      </p>
      <span className={css('most')}>{topText(longest)}</span>
      <span className={css('least')}>0</span>
      <div className={css('bars')}>
        {bars.map((bar) => (
          <i
            key={bar.fromMs}
            className={fill(bar)}
            style={{
              left: left(bar.fromMs),
              width: `calc(${(100 * (bar.toMs - bar.fromMs)) / (toMs - fromMs)}% - 1px)`,
              height: `${(100 * bar.seconds) / longest}%`,
            }}
          />
        ))}
      </div>
      <div className={css('hours')}>
        {ticks.map((at) => (
          <span key={at} style={{ left: left(at) }}>
            {minuteText(at)}
          </span>
        ))}
      </div>
    </div>
  )
}

/**
 * Label of the longest wait: `12 s`. From one minute on, it has whole minutes: `5 min`. The summary shows the
 * exact wait.
 */
const topText = (seconds: number) =>
  seconds < 60 ? waitText(seconds * 1000) : `${Math.round(seconds / 60)} min`

/** The longest wait in one interval of the day. `fromMs` and `toMs` are epoch ms. */
interface WaitBar {
  readonly fromMs: number
  readonly toMs: number
  readonly seconds: number
  /** The program that waited. Absent if none did. */
  readonly by?: string
}

/** Maximum number of bars with distinguishable patterns. */
const MAX_BARS = 40

/** Groups the rows of a day into bars of equal length, each with its longest wait. */
export function waitBars(rows: readonly Pick<DayRow, 'at' | 'longestSeconds' | 'longestBy'>[]) {
  const size = Math.max(1, Math.ceil(rows.length / MAX_BARS))
  const endMs = rows.at(-1)?.at ?? 0
  return rows.flatMap((first, at) => {
    if (at % size !== 0 || first.at >= endMs) return []
    const within = rows.slice(at, at + size)
    const worst = within.reduce((one, other) => (other.longestSeconds > one.longestSeconds ? other : one))
    const { longestSeconds: seconds, longestBy: by } = worst
    return { fromMs: first.at, toMs: rows[at + size]?.at ?? endMs, seconds, ...(by !== undefined && { by }) }
  })
}

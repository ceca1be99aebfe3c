import { useMemo, useState } from 'react'
import type { ProgramSummary } from '../../app/contract/snapshot.ts'
import { DAY_MS, MINUTE_MS } from '../../app/contract/units.ts'
import { DESK_NAME, OTHERS_NAME, OWN_NAME } from '../../app/plan/running.ts'
import { clockText, minuteText, weekdayText } from '../../app/status/moments.ts'
import { chartMarkers } from '../charts/markers.ts'
import { timeTicks } from '../charts/time-ticks.ts'
import { classesOf } from '../components/classes.ts'
import { Select } from '../components/controls.tsx'
import { Shape } from '../components/shape.tsx'
import { fillOf, Swatch } from '../components/swatch.tsx'
import { CHART_RANGES } from '../state/view-state.ts'
import { useParts, useShownValue, useView } from '../state/window-parts.ts'
import { perSecondText } from './program-rows.ts'
import sheet from './programs.module.css'
import { refusalLabels } from './refusal-labels.ts'
import { type StackedUse, stackedUse } from './stacked-use.ts'
import chartSheet from './use-chart.module.css'
import { type AskedHistory, useProgramHistory } from './use-program-history.ts'

const css = classesOf({ ...sheet, ...chartSheet })

/** Shortest interval between ticks, by the chart's time span. */
const TICKS = [
  { upToMs: 30 * MINUTE_MS, tickMs: MINUTE_MS },
  { upToMs: 120 * MINUTE_MS, tickMs: 5 * MINUTE_MS },
  { upToMs: DAY_MS, tickMs: 120 * MINUTE_MS },
] as const
/** Width of the chart in a narrow window. The number of ticks fits this width. */
const MIN_WIDTH_PIXELS = 290

interface UseChartProps {
  readonly profile: string
  readonly programs: readonly ProgramSummary[]
}

export function UseChart({ profile, programs }: UseChartProps) {
  const { view } = useParts()
  const [chosen, setChosen] = useState<string>()
  const range = useView((state) => state.range)
  const rows =
    useShownValue(({ requests }) =>
      requests.map(({ category, limit, period }) => ({ category, refill: limit / period })),
    ) ?? []
  const busiest = busiestCategory(programs)
  const category = chosen ?? busiest ?? rows[0]?.category ?? ''
  const refill = rows.find((one) => one.category === category)?.refill ?? 0
  const history = useProgramHistory(profile, category)
  const names = programs.map(({ name }) => name).join('\n')
  const use = useMemo(
    () => history && stackedUse(history, names.split('\n').filter(Boolean), refill),
    [history, names, refill],
  )
  const isRecorded = use?.pieces.length !== 0
  return (
    <section className="panel" aria-labelledby="use-heading">
      <div className={css('head', 'chart-head')}>
        <h2 id="use-heading">Use per program</h2>
        <Select
          aria-label="Category of the chart"
          value={category}
          choices={rows.map((row) => row.category)}
          onChoose={setChosen}
        />
        <span className={css('roomy', 'cut')}>requests per second</span>
        <div className={css('tabs', 'ranges')}>
          {CHART_RANGES.map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={one === range}
              onClick={() => view.setState({ range: one })}
            >
              {one}
            </button>
          ))}
        </div>
      </div>
      {use !== undefined && history !== undefined && (
        <div className={css('chart-body')}>
          <div>
            <Plot use={use} history={history} category={category} refill={refill} />
            <Times fromMs={history.from} toMs={history.toMs} />
            {!isRecorded && (
              <p className={css('note', 'over-plot')}>No use of {category} was recorded in this time.</p>
            )}
          </div>
          <Legend use={use} programs={programs} category={category} />
        </div>
      )}
    </section>
  )
}

/** The category with the most waiting requests. Without waiting requests, the category with the most use. */
function busiestCategory(programs: readonly ProgramSummary[]): string | undefined {
  const sums = new Map<string, { waiting: number; perSecond: number }>()
  for (const { category, waiting, perSecond } of programs.flatMap(({ use }) => use)) {
    const sum = sums.get(category) ?? { waiting: 0, perSecond: 0 }
    sums.set(category, { waiting: sum.waiting + waiting, perSecond: sum.perSecond + perSecond })
  }
  const [first] = [...sums].sort(([, a], [, b]) => b.waiting - a.waiting || b.perSecond - a.perSecond)
  return first?.[0]
}

interface PlotProps {
  readonly use: StackedUse
  readonly history: AskedHistory
  readonly category: string
  readonly refill: number
}

function Plot({ use, history: { from, toMs, rejectedAt }, category, refill }: PlotProps) {
  const { layers, pieces, lines, topPerSecond, spanMs } = use
  const marks = chartMarkers([], rejectedAt, { profile: undefined, fromMs: from, toMs }).filter(
    ({ kind }) => kind === '429',
  )
  const said = layers
    .filter(({ requests }) => requests > 0)
    .map(({ name, requests }) => `${name} ${Math.round(requests)}`)
    .join(', ')
  const bottom = (perSecond: number) => ({ bottom: `${(100 * perSecond) / topPerSecond}%` })
  const leftOf = (atMs: number) => ({ left: `${(100 * (atMs - from)) / spanMs}%` })
  const decimals = topPerSecond < 0.5 ? 2 : topPerSecond < 5 ? 1 : 0
  return (
    <div
      className={css('plot')}
      role="img"
      aria-label={[
        `Requests of ${category}: ${said || 'none'}`,
        `${perSecondText(refill)} refill per second`,
        ...(marks.length > 0 ? [`429 at ${marks.map(({ at }) => clockText(at)).join(', ')}`] : []),
      ].join('; ')}
    >
      {lines.map((line) => (
        <span key={line} className={css('line')} style={bottom(line)}>
          <small>{line.toFixed(decimals)}/s</small>
        </span>
      ))}
      <div className={css('pieces')}>
        {pieces.map(({ layer, left, width, bottom: from, height, isPartial }) => (
          <i
            key={`${layer} ${left}`}
            className={`${fillOf(layers[layer]?.name ?? '', layer)} ${css(isPartial && 'partial')}`}
            title={isPartial ? 'Still counting' : undefined}
            style={{
              left: `${100 * left}%`,
              width: `${100 * width}%`,
              bottom: `${100 * from}%`,
              height: `${100 * height}%`,
            }}
          />
        ))}
      </div>
      {marks.map(({ at }) => (
        <span key={at} className={css('moment')} style={leftOf(at)} data-severity="critical" />
      ))}
      {refusalLabels(rejectedAt, { fromMs: from, toMs }).map(({ at, count, side }) => (
        <span
          key={at}
          className={css('refusals', side === 'left' && 'to-left')}
          style={leftOf(at)}
          data-severity="critical"
        >
          <b>
            <Shape severity="critical" label="429" /> 429{count > 1 && ` ×${count}`}
          </b>
        </span>
      ))}
      {refill > 0 && (
        <span className={css('refill')} style={bottom(refill)}>
          <b>refill {perSecondText(refill)}/s</b>
        </span>
      )}
    </div>
  )
}

function Times({ fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }) {
  const spanMs = toMs - fromMs
  const isLong = spanMs > DAY_MS
  const tickMs =
    TICKS.find(({ upToMs }) => spanMs <= upToMs)?.tickMs ?? DAY_MS * Math.ceil(spanMs / (5 * DAY_MS))
  const labelPixels = isLong ? 66 : 48
  const ticks = timeTicks({ fromMs, nowMs: toMs, toMs, tickMs, widthPixels: MIN_WIDTH_PIXELS, labelPixels })
  return (
    <div className={css('times')} aria-hidden="true">
      {ticks.map((atMs) => (
        <span key={atMs} style={{ left: `${(100 * (atMs - fromMs)) / spanMs}%` }}>
          {atMs === toMs ? <b>now</b> : isLong ? weekdayText(atMs) : minuteText(atMs)}
        </span>
      ))}
    </div>
  )
}

const SHORT_NAMES: Readonly<Record<string, string>> = { [OTHERS_NAME]: 'others', [DESK_NAME]: 'desk' }

interface LegendProps {
  readonly use: StackedUse
  readonly programs: readonly ProgramSummary[]
  readonly category: string
}

/**
 * The legend, from the top down like the layers. Shows each program's rate, or the number of its waiting
 * requests.
 */
function Legend({ use: { layers }, programs, category }: LegendProps) {
  const rest = useShownValue(({ requests }) => {
    const use = requests.find((one) => one.category === category)?.use
    return { own: use?.own ?? 0, desk: use?.desk ?? 0, elsewhere: use?.elsewhere ?? 0 }
  })
  const now = (name: string): string => {
    if (name === OTHERS_NAME) return perSecondText(rest?.elsewhere ?? 0)
    if (name === DESK_NAME) return perSecondText(rest?.desk ?? 0)
    const all = programs.map((one) => ({
      name: one.name,
      ...one.use.find((use) => use.category === category),
    }))
    if (name === OWN_NAME)
      return perSecondText(
        Math.max(0, (rest?.own ?? 0) - all.reduce((sum, { perSecond = 0 }) => sum + perSecond, 0)),
      )
    const program = all.find((one) => one.name === name)
    if (program === undefined) return 'gone'
    const { waiting = 0, perSecond = 0 } = program
    return waiting > 0 ? `${waiting} wait` : perSecondText(perSecond)
  }
  return (
    <ul className={css('legend')} aria-label="Use now, per second">
      {layers.map(({ name }, at) => (
        <li key={name}>
          <Swatch name={name} at={at} />
          <span className="cut" title={name}>
            {SHORT_NAMES[name] ?? name}
          </span>
          <b>{now(name)}</b>
        </li>
      ))}
    </ul>
  )
}

import { memo, Suspense, useDeferredValue } from 'react'
import {
  Area,
  CartesianGrid,
  ComposedChart,
  ReferenceArea,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  YAxis,
} from 'recharts'
import { dayAndMinuteText, minuteText } from '../../app/status/moments.ts'
import { STATE_LABELS } from '../../app/status/quota-status.ts'
import { LowestPoint, SpanLabel } from '../charts/chart-labels.tsx'
import {
  type CursorProps,
  GRID,
  LEVEL,
  LINE,
  lineLabel,
  lowLine,
  rowUnderCursor,
  VALUE_AXIS,
  WHOLE_FRAME,
} from '../charts/chart-parts.ts'
import type { ChartMarker } from '../charts/markers.ts'
import { loadedLater } from '../components/loaded-later.ts'
import { MarkerLines } from './marker-lines.tsx'
import { type ChartRow, type ChartSeries, countTicks } from './series.ts'
import type { UseStrip } from './strip-of-use.ts'
import { HistoryTimeAxis } from './time-axis.tsx'

// A separate chunk, because most charts are never under a cursor.
const Reading = loadedLater(async () => (await import('./reading.tsx')).Reading)

const MARGIN = { top: 17, right: 14, bottom: 0, left: 0 } as const

interface HistoryChartProps {
  readonly series: ChartSeries
  readonly markers: readonly ChartMarker[]
  /** The chart in one sentence, for people who cannot see it. */
  readonly summary: string
  /** See `emptyLabel`. */
  readonly empties: string | undefined
}

/** The chart of the chosen row: its past, and a forecast at the present rate of use. */
export const HistoryChart = memo(function HistoryChart(props: HistoryChartProps) {
  const { series, markers, summary, empties } = props
  const { rows, gaps, toMs, nowMs, limit, lowBelow, facts, strip, lowest } = series
  const { hasForecast, hasUsual, hasDesk } = series
  const { asBand } = facts
  // Use, forecast and usual load are drawn after the level, so that the first render is not one long task.
  const isWhole = useDeferredValue(true, false)
  return (
    <ResponsiveContainer {...WHOLE_FRAME}>
      <ComposedChart
        data={rows as ChartRow[]}
        margin={MARGIN}
        accessibilityLayer
        role="img"
        aria-label={summary}
      >
        {/* Areas are distinguished by hatching, not only by colour. */}
        <defs>
          <Hatch id={HATCH} colour="var(--elsewhere)" back={0.25} width={2.2} />
          {hasDesk && (
            <pattern id={DESK_HATCH} width="4" height="4" patternUnits="userSpaceOnUse">
              <rect width="4" height="4" fill="var(--desk)" opacity="0.45" />
              <rect width="2" height="4" fill="var(--desk)" />
            </pattern>
          )}
          <Hatch id={RANGE_HATCH} colour="var(--ok)" back={0.24} width={2} opacity={0.55} />
          <Hatch id={UNCHECKED_HATCH} colour="var(--muted)" width={1.5} opacity={0.45} />
          <Hatch id={FORECAST_HATCH} colour="var(--warning)" width={1.5} opacity={0.5} />
        </defs>
        <CartesianGrid
          {...GRID}
          vertical={{ strokeOpacity: 0.45 }}
          horizontalValues={[...(strip ? [strip.base] : []), ...countTicks(limit)]}
        />
        {facts.aheadMs > 0 && (
          <ReferenceArea x1={nowMs} x2={toMs} fill="var(--text)" fillOpacity={0.035} stroke="none" />
        )}
        {gaps.map(({ fromMs: x1, toMs: x2, isBefore }) => (
          <ReferenceArea
            key={x1}
            x1={x1}
            x2={x2}
            fill={isBefore ? 'none' : `url(#${UNCHECKED_HATCH})`}
            fillOpacity={1}
            stroke="none"
            label={
              <SpanLabel
                text={
                  isBefore ? `no data before ${dayAndMinuteText(x2, nowMs)}` : STATE_LABELS['not-checked']
                }
              />
            }
          />
        ))}
        <HistoryTimeAxis series={series} />
        <YAxis
          {...VALUE_AXIS}
          domain={[strip?.base ?? 0, limit]}
          ticks={strip ? [strip.base, strip.top, ...countTicks(limit)] : countTicks(limit)}
          tickFormatter={(value: number) => axisText(value, strip)}
          interval={0}
        />
        {lowBelow > 0 && (
          <ReferenceLine
            {...lowLine(lowBelow, `${Math.round(lowBelow)} (${Math.round((lowBelow / limit) * 100)} %)`)}
            strokeOpacity={0.8}
          />
        )}
        {isWhole && hasForecast && empties !== undefined && (
          <ReferenceLine
            y={lowBelow}
            stroke="none"
            label={{
              ...lineLabel(empties, 'insideBottomRight', 'var(--warning)'),
              fontWeight: 600,
            }}
          />
        )}
        {isWhole && !asBand && <Area {...filledWith(RANGE_HATCH)} dataKey="range" />}
        {!asBand && <Area {...LEVEL} dot={isRinged(rows) ? HeaderRing : false} dataKey="header" />}
        {!asBand && <Area {...LEVEL} dataKey="modelled" strokeDasharray="3 3" fillOpacity={0.05} />}
        {asBand && <Area {...LEVEL} dataKey="headerBand" strokeWidth={1} fillOpacity={0.35} />}
        {asBand && (
          <Area {...LEVEL} dataKey="modelledBand" strokeWidth={1} strokeDasharray="3 3" fillOpacity={0.12} />
        )}
        {isWhole && hasUsual && (
          <Area {...LINE} dataKey="usual" stroke="var(--muted)" strokeWidth={1.4} strokeDasharray="1 4" />
        )}
        {/* Drawn as areas. For a line, Recharts would measure its length at each render. */}
        {isWhole && hasForecast && (
          <>
            <Area {...filledWith(FORECAST_HATCH)} dataKey="forecast" />
            <Area {...LINE} dataKey="latest" stroke="var(--warning)" strokeDasharray="2 3" />
            <Area
              {...LINE}
              dataKey="earliest"
              stroke="var(--warning)"
              strokeWidth={1.8}
              strokeDasharray="5 3"
            />
          </>
        )}
        {isWhole && strip && <Area {...filledWith(HATCH)} dataKey="othersBar" type="stepAfter" />}
        {isWhole && hasDesk && <Area {...filledWith(DESK_HATCH)} dataKey="deskBar" type="stepAfter" />}
        {isWhole && strip && (
          <Area
            {...LINE}
            dataKey="ownBar"
            type="stepAfter"
            stroke="none"
            fill="var(--own)"
            fillOpacity={0.9}
          />
        )}
        {isWhole && strip && (
          <ReferenceLine
            y={strip.refill}
            stroke="var(--muted)"
            strokeDasharray="3 3"
            label={lineLabel(
              `refill ${Number(strip.refillPerSecond.toFixed(2))}/s`,
              'insideBottomRight',
              'var(--muted)',
            )}
          />
        )}
        {facts.aheadMs > 0 && <ReferenceLine x={nowMs} stroke="var(--muted)" />}
        {lowest !== undefined && (
          <LowestPoint
            at={lowest.at}
            level={lowest.count}
            text={`lowest ${Math.floor(lowest.count)} at ${minuteText(lowest.at)}`}
          />
        )}
        <MarkerLines markers={markers} series={series} />
        <Tooltip
          content={<Tip limit={limit} />}
          cursor={{ stroke: 'var(--text)', strokeWidth: 1 }}
          isAnimationActive={false}
          filterNull={false}
        />
      </ComposedChart>
    </ResponsiveContainer>
  )
})

/** Ids of the hatch patterns. `FORECAST_HATCH` is the forecast's range. */
const HATCH = 'chart-others'
const DESK_HATCH = 'chart-desk'
const RANGE_HATCH = 'chart-range'
const UNCHECKED_HATCH = 'chart-unchecked'
const FORECAST_HATCH = 'chart-forecast'

const filledWith = (hatch: string) =>
  ({ ...LINE, stroke: 'none', fill: `url(#${hatch})`, fillOpacity: 1 }) as const

interface HatchProps {
  readonly id: string
  readonly colour: string
  /** Width of a stripe, in pixels, and its opacity. */
  readonly width: number
  readonly opacity?: number
  /** Opacity of the colour between the stripes. */
  readonly back?: number
}

const Hatch = ({ id, colour, width, opacity, back }: HatchProps) => (
  <pattern id={id} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
    {back !== undefined && <rect width="5" height="5" fill={colour} opacity={back} />}
    <rect width={width} height="5" fill={colour} opacity={opacity} />
  </pattern>
)

/** Maximum number of headers drawn as rings. More rings would run into each other. */
const MAX_RINGS = 80
const isHeader = ({ headerAt, at, header }: ChartRow) => header !== undefined && headerAt === at
const isRinged = (rows: readonly ChartRow[]) => rows.filter(isHeader).length <= MAX_RINGS

interface RingProps {
  readonly cx?: number
  readonly cy?: number
  readonly payload?: ChartRow
}

/** A ring at a header on the line. Recharts passes its position. */
function HeaderRing({ cx, cy, payload }: RingProps) {
  if (cx === undefined || cy === undefined || payload === undefined || !isHeader(payload)) return <g />
  return <circle cx={cx} cy={cy} r={2.6} fill="var(--panel)" stroke="var(--ok)" strokeWidth={1.3} />
}

/** A label of the axis. A value below zero is in the strip of use, so its label is a rate. */
function axisText(value: number, strip: UseStrip | undefined): string {
  if (strip === undefined || value >= 0) return String(value)
  return value === strip.base ? '0' : `${strip.maxPerSecond}/s`
}

/** The tooltip at the cursor. When the cursor moves, only the tooltip renders. */
function Tip({ limit, ...cursor }: CursorProps<ChartRow> & { readonly limit: number }) {
  const row = rowUnderCursor(cursor)
  return (
    row && (
      <Suspense fallback={null}>
        <Reading row={row} limit={limit} />
      </Suspense>
    )
  )
}

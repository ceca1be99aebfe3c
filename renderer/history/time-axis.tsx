import { usePlotArea, XAxis } from 'recharts'
import { minuteText, weekdayText } from '../../app/status/moments.ts'
import { TIME_AXIS, WHOLE_FRAME } from '../charts/chart-parts.ts'
import { timeTicks } from '../charts/time-ticks.ts'
import type { ChartSeries } from './series.ts'

interface HistoryTimeAxisProps {
  readonly series: Pick<ChartSeries, 'fromMs' | 'nowMs' | 'toMs' | 'range' | 'facts'>
}

export function HistoryTimeAxis({ series: { fromMs, nowMs, toMs, range, facts } }: HistoryTimeAxisProps) {
  const widthPixels = usePlotArea()?.width ?? WHOLE_FRAME.initialDimension.width
  const { tickMs } = facts
  const format = range === '7 d' ? WEEKDAY : MINUTE
  const ticks = timeTicks({ fromMs, nowMs, toMs, tickMs, widthPixels, labelPixels: format.pixels })
  const anchorOf = (at: number) => {
    const pixels = ((at - fromMs) / (toMs - fromMs)) * widthPixels
    if (pixels > widthPixels - format.pixels / 3) return 'end'
    return pixels < format.pixels / 3 ? 'start' : 'middle'
  }
  return (
    <XAxis
      {...TIME_AXIS}
      domain={[fromMs, toMs]}
      allowDataOverflow
      ticks={ticks}
      interval={0}
      height={18}
      tickSize={2}
      tick={({ x, y, payload }: TickProps) => (
        <text
          x={x}
          y={y}
          dy={10}
          textAnchor={anchorOf(payload.value)}
          fill={payload.value === nowMs ? 'var(--text)' : 'var(--muted)'}
          fontSize={11}
          fontWeight={payload.value === nowMs ? 600 : 400}
        >
          {payload.value === nowMs ? 'now' : format.text(payload.value)}
        </text>
      )}
    />
  )
}

/** Recharts' arguments for a tick. */
interface TickProps {
  readonly x: number | string
  readonly y: number | string
  readonly payload: { readonly value: number }
}

/** Format of the labels, and their width including the margin, in pixels. */
const MINUTE = { text: minuteText, pixels: 42 }
const WEEKDAY = { text: weekdayText, pixels: 72 }

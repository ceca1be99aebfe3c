import { ReferenceLine, usePlotArea } from 'recharts'
import { type ChartMarker, placedMarkers } from '../charts/markers.ts'
import type { ChartSeries } from './series.ts'

/** Width of the longest label in pixels, with its icon and margin. */
const LABEL_PIXELS = 64

interface MarkerLinesProps {
  readonly markers: readonly ChartMarker[]
  readonly series: Pick<ChartSeries, 'fromMs' | 'nowMs' | 'toMs'>
}

/** A line at each marker. Its icon and text are shown if the chart is wide enough. */
export function MarkerLines({ markers, series: { fromMs, nowMs, toMs } }: MarkerLinesProps) {
  const plot = usePlotArea()
  const labelMs = plot && (LABEL_PIXELS / plot.width) * (toMs - fromMs)
  const placed = labelMs === undefined ? markers : placedMarkers(markers, { toMs: nowMs, labelMs })
  return placed.map(({ kind, at, lane, side }) => (
    <ReferenceLine
      key={`${kind} ${at}`}
      x={at}
      stroke={COLOURS[kind]}
      strokeDasharray="2 3"
      label={<MarkerLabel kind={kind} lane={lane} side={side} />}
    />
  ))
}

interface MarkerLabelProps extends Omit<ChartMarker, 'at'> {
  /** Position of the line, passed by Recharts. */
  readonly viewBox?: { readonly x?: number; readonly y?: number }
}

/** Distance between rows of labels, and from the middle of an icon to its text. Pixels. */
const LANE_HEIGHT = 14
const GAP = 9

/** The label of a marker line. The icon is on the line, and the text is next to the icon. */
function MarkerLabel({ kind, lane, side, viewBox }: MarkerLabelProps) {
  if (viewBox === undefined || lane === undefined) return <g data-mark={kind} />
  const { x = 0, y: top = 0 } = viewBox
  const y = top + lane * LANE_HEIGHT - 8
  const icon = ICONS[kind]
  const gap = icon === undefined ? 3 : GAP
  return (
    <g data-mark={kind}>
      {icon !== undefined && (
        <path
          transform={`translate(${x - 6} ${y - 6})`}
          d={icon}
          fill={kind === '429' ? COLOURS[kind] : 'none'}
          fillRule="evenodd"
          stroke={kind === '429' ? 'none' : COLOURS[kind]}
          strokeWidth={1.4}
        />
      )}
      <text
        x={side === 'left' ? x - gap : x + gap}
        y={y + 4}
        textAnchor={side === 'left' ? 'end' : 'start'}
        fill={COLOURS[kind]}
        stroke="var(--panel)"
        strokeWidth={3}
        paintOrder="stroke"
        fontSize={11}
      >
        {kind}
      </text>
    </g>
  )
}

const KEY = 'M1.2 6a2.3 2.3 0 1 0 4.6 0a2.3 2.3 0 1 0 -4.6 0M5.8 6H11v2.4M8.6 6v2'

/**
 * Icons of 12 by 12 pixels. The octagon is the symbol of a 429 in the whole app. GoAway has two arrows, and
 * tokens and sign-ins have a key.
 */
const ICONS: Readonly<Record<ChartMarker['kind'], string | undefined>> = {
  '429': 'M3.7 .6h4.6L11.4 3.7v4.6L8.3 11.4H3.7L.6 8.3V3.7ZM3 5v2h6V5Z',
  GoAway: 'M1 4h9M7.8 1.6 10.2 4 7.8 6.4M11 8.5H2M4.2 6.3 1.8 8.5 4.2 10.7',
  token: KEY,
  'sign-in': KEY,
  open: undefined,
  close: undefined,
}

const COLOURS: Readonly<Record<ChartMarker['kind'], string>> = {
  '429': 'var(--critical)',
  GoAway: 'var(--elsewhere)',
  token: 'var(--muted)',
  'sign-in': 'var(--warning)',
  open: 'var(--muted)',
  close: 'var(--muted)',
}

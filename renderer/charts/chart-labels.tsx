import { ReferenceDot, usePlotArea } from 'recharts'

interface LowestPointProps {
  readonly at: number
  readonly level: number
  readonly text: string
}

export function LowestPoint({ at, level, text }: LowestPointProps) {
  return (
    <ReferenceDot
      x={at}
      y={level}
      r={3}
      fill="var(--warning)"
      stroke="var(--panel)"
      label={<PointLabel text={text} />}
    />
  )
}

/** Distance from the point to its label, and the label's height. Pixels. */
const GAP = 8
const TEXT_HEIGHT = 12
/** Half the width of the longest label, in pixels. */
const HALF_TEXT = 62

interface LabelProps {
  readonly text: string
  /** Position of the labelled point or area, passed by Recharts. */
  readonly viewBox?: {
    readonly x?: number
    readonly y?: number
    readonly width?: number
    readonly height?: number
  }
}

/**
 * Draws the label below the point, where there is no curve. If the point is near the axis, the label is
 * above.
 */
function PointLabel({ text, viewBox }: LabelProps) {
  const plot = usePlotArea()
  if (viewBox === undefined || plot === undefined) return <g />
  const { x = 0, y = 0, width = 0, height = 0 } = viewBox
  const [middle, under] = [x + width / 2, y + height + GAP + TEXT_HEIGHT]
  const anchor =
    middle > plot.x + plot.width - HALF_TEXT ? 'end' : middle < plot.x + HALF_TEXT ? 'start' : 'middle'
  return (
    <text
      data-testid="marked-point"
      x={middle}
      y={under <= plot.y + plot.height ? under - 2 : y - GAP}
      textAnchor={anchor}
      fill="var(--warning)"
      stroke="var(--panel)"
      strokeWidth={3}
      paintOrder="stroke"
      fontSize={11}
      fontWeight={600}
    >
      {text}
    </text>
  )
}

/** Width of a character of a label, in pixels. A generous mean of the font. */
const CHARACTER = 6.2

/** Draws the label in the middle of a span of time. Omitted if the span is too narrow. */
export function SpanLabel({ text, viewBox: { x = 0, y = 0, width = 0, height = 0 } = {} }: LabelProps) {
  if (width < text.length * CHARACTER) return <g />
  return (
    <text
      data-testid="span-label"
      x={x + width / 2}
      y={y + height * 0.3}
      textAnchor="middle"
      fill="var(--muted)"
      stroke="var(--panel)"
      strokeWidth={3}
      paintOrder="stroke"
      fontSize={11}
    >
      {text}
    </text>
  )
}

import { ReferenceDot, usePlotArea } from 'recharts'

interface LowestPointProps {
  /** Where the point is, on the two axes. */
  readonly at: number
  readonly level: number
  readonly text: string
}

/** The lowest point of a curve, with words beside it. */
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

/** Pixels from the point to its words, and of the height of those. */
const GAP = 8
const TEXT_HEIGHT = 12
/** Pixels of half of the longest words. */
const HALF_TEXT = 62

interface PointLabelProps {
  readonly text: string
  /** Where the point is drawn. Recharts passes it. */
  readonly viewBox?: {
    readonly x?: number
    readonly y?: number
    readonly width?: number
    readonly height?: number
  }
}

/**
 * The words stand under the point, where a curve with its lowest point there has no line, and over it at the
 * axis.
 */
function PointLabel({ text, viewBox }: PointLabelProps) {
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

interface PointLabelProps {
  readonly text: string
  /** Whether the room is to the left of the point. */
  readonly isLate: boolean
  /** Where the point is drawn. Recharts passes it. */
  readonly viewBox?: {
    readonly x?: number
    readonly y?: number
    readonly width?: number
    readonly height?: number
  }
}

/** The words beside a marked point of a curve. */
export function PointLabel({ text, isLate, viewBox }: PointLabelProps) {
  if (viewBox === undefined) return <g />
  const { x = 0, y = 0, width = 0, height = 0 } = viewBox
  return (
    <text
      data-testid="marked-point"
      x={isLate ? x - 5 : x + width + 5}
      y={y + height / 2 + 1}
      textAnchor={isLate ? 'end' : 'start'}
      fill="var(--watch)"
      fontSize={11}
      fontWeight={600}
    >
      {text}
    </text>
  )
}

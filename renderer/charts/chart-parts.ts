const AXIS = {
  type: 'number',
  tick: { fill: 'var(--muted)', fontSize: 11 },
  tickLine: false,
  axisLine: false,
} as const

/** The time axis, below a chart. The time of each row is its `at`. */
export const TIME_AXIS = { ...AXIS, dataKey: 'at' } as const

/** The left axis. Its width is fixed, so that charts below each other align. */
export const VALUE_AXIS = { ...AXIS, width: 42 } as const

export const GRID = { vertical: false, stroke: 'var(--line)' } as const

const CURVE = { dot: false, activeDot: false, isAnimationActive: false } as const

/** A line, drawn as an area without a fill. */
export const LINE = { ...CURVE, type: 'linear', fill: 'none' } as const

/** The curve of a level, with the area under it. */
export const LEVEL = {
  ...LINE,
  stroke: 'var(--ok)',
  strokeWidth: 1.6,
  fill: 'var(--ok)',
  fillOpacity: 0.13,
} as const

/** Makes a chart fill its frame. Until the frame is measured, the chart has the size `initialDimension`. */
export const WHOLE_FRAME = {
  width: '100%',
  height: '100%',
  initialDimension: { width: 600, height: 150 },
} as const

export const lineLabel = (
  value: string,
  position: 'insideBottomLeft' | 'insideBottomRight',
  colour: string,
) => ({ value, position, fill: colour, fontSize: 11 })

export const lowLine = (level: number, words: string) =>
  ({
    y: level,
    stroke: 'var(--warning)',
    strokeDasharray: '6 4',
    label: lineLabel(`low below ${words}`, 'insideBottomLeft', 'var(--warning)'),
  }) as const

/** Recharts' arguments for a tooltip: whether there is a cursor, and the rows at the cursor. */
export interface CursorProps<Row> {
  readonly active?: boolean
  readonly payload?: readonly { readonly payload?: Row }[]
}

export const rowUnderCursor = <Row>({ active, payload }: CursorProps<Row>): Row | undefined =>
  active === true ? payload?.find((one) => one.payload !== undefined)?.payload : undefined

/** An axis of numbers without lines. */
const AXIS = {
  type: 'number',
  tick: { fill: 'var(--muted)', fontSize: 11 },
  tickLine: false,
  axisLine: false,
} as const

/** The axis of moments, below a chart; each row is `at` one. */
export const TIME_AXIS = { ...AXIS, dataKey: 'at' } as const

/** The axis at the left; charts one below the other align. */
export const VALUE_AXIS = { ...AXIS, width: 42 } as const

/** Lines across a chart at the values of its axis. */
export const GRID = { vertical: false, stroke: 'var(--line)' } as const

/** A curve without dots, and without motion. */
export const CURVE = { dot: false, activeDot: false, isAnimationActive: false } as const

/** The curve of a level, with the area under it. */
export const LEVEL = {
  ...CURVE,
  type: 'linear',
  stroke: 'var(--ok)',
  strokeWidth: 1.6,
  fill: 'var(--ok)',
  fillOpacity: 0.13,
} as const

/** A chart as large as its frame; `initialDimension` until that is measured. */
export const WHOLE_FRAME = {
  width: '100%',
  height: '100%',
  initialDimension: { width: 600, height: 150 },
} as const

/** The words at a line across a chart, inside at one of its corners. */
export const lineLabel = (
  value: string,
  position: 'insideBottomLeft' | 'insideBottomRight',
  colour: string,
) => ({ value, position, fill: colour, fontSize: 11 })

/** The line below which a quota is low. */
export const lowLine = (level: number, words: string) =>
  ({
    y: level,
    stroke: 'var(--warning)',
    strokeDasharray: '6 4',
    label: lineLabel(`low below ${words}`, 'insideBottomLeft', 'var(--warning)'),
  }) as const

/** What Recharts passes to a tooltip: whether there is a cursor, and the rows under it. */
export interface CursorProps<Row> {
  readonly active?: boolean
  readonly payload?: readonly { readonly payload?: Row }[]
}

/** The row under the cursor. */
export const rowUnderCursor = <Row>({ active, payload }: CursorProps<Row>): Row | undefined =>
  active === true ? payload?.find((one) => one.payload !== undefined)?.payload : undefined

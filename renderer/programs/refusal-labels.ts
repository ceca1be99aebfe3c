/** Share of the chart's width that a label takes up, including its margin. */
const LABEL_WIDTH = 0.2

/** One label for several 429s that are too close together for separate ones. */
export interface RefusalLabel {
  /** The first of the 429s, epoch ms. */
  readonly at: number
  readonly count: number
  /** The side of `at` on which the label is; `left` if there is no room on the right. */
  readonly side: 'left' | 'right'
}

/**
 * Labels for the 429s at `rejectedAt` on a chart with these ends, oldest first, without overlaps. All times
 * are epoch ms.
 */
export function refusalLabels(
  rejectedAt: readonly number[],
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): readonly RefusalLabel[] {
  const widthMs = (toMs - fromMs) * LABEL_WIDTH
  const startOf = ({ at, side }: RefusalLabel) => (side === 'left' ? at - widthMs : at)
  const labels: RefusalLabel[] = []
  const inTurn = rejectedAt.filter((at) => at >= fromMs && at <= toMs).toSorted((a, b) => a - b)
  for (const at of inTurn) {
    const own: RefusalLabel = { at, count: 1, side: at > toMs - widthMs ? 'left' : 'right' }
    const last = labels.at(-1)
    const isOver = last !== undefined && startOf(own) < startOf(last) + widthMs
    if (isOver) labels[labels.length - 1] = { ...last, count: last.count + 1 }
    else labels.push(own)
  }
  return labels
}

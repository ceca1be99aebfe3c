/** Share of the chart that a label takes, with the room beside it. */
const LABEL_WIDTH = 0.2

/** One label of 429s that are too close together for one each. */
export interface RefusalLabel {
  /** The first of them, epoch ms. */
  readonly at: number
  readonly count: number
  /** The side of `at` on which the label is: `left` where there is no room to the right. */
  readonly side: 'left' | 'right'
}

/** The labels of 429s at `rejectedAt` on a chart of these ends, oldest first; none is over another. All epoch ms. */
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

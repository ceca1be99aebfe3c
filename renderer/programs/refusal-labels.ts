/** Width of a label with its margin, as a share of the chart's width. */
const LABEL_WIDTH = 0.2

/** One label for one or more 429s that are close together. */
export interface RefusalLabel {
  /** Time of the first 429, epoch ms. */
  readonly at: number
  readonly count: number
  /** The side of `at` on which the label is drawn: `left` if there is no room on the right. */
  readonly side: 'left' | 'right'
}

/** Labels without overlaps for the 429s at `rejectedAt`, oldest first. All times are epoch ms. */
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

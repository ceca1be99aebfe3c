import type { Cell } from './cells.ts'

/** A cell that leaves a line which is too narrow for all: the higher, the earlier; without one it stays. */
export interface FittedCell extends Cell {
  readonly leaves?: number
}

/** A line, and how much it matters where there is no room for all: 0 goes first. */
export interface WeighedLine {
  readonly cells: readonly FittedCell[]
  readonly weight: number
}

export const leaving = (cell: Cell, leaves: number): FittedCell => ({ ...cell, leaves })

/**
 * The cells that fit into `width`, with a space between each. Whole columns leave, and not the end of each
 * line: a terminal that wraps a table makes two unreadable ones of it. What stays too wide is cut.
 */
export function fitWidth(cells: readonly FittedCell[], width: number): readonly FittedCell[] {
  let kept = cells
  while (widthOf(kept) > width) {
    const first = Math.max(...kept.map(({ leaves }) => leaves ?? 0))
    if (first <= 0) return cutLast(kept, width)
    kept = kept.filter(({ leaves }) => leaves !== first)
  }
  return kept
}

/**
 * The lines that fit into `rows`, in their order. Of equal weight the lower leave first, and the last line
 * says how many did: a quota that is not shown must not look like one that is not there.
 */
export function fitHeight(lines: readonly WeighedLine[], rows: number): readonly WeighedLine[] {
  const blank = (line: WeighedLine) => line.cells.length === 0
  let kept = [...lines]
  let missing = 0
  while (kept.length + (missing > 0 ? 1 : 0) > Math.max(1, rows) && kept.length > 0) {
    const least = Math.min(...kept.map(({ weight }) => weight))
    const at = kept.findLastIndex(({ weight }) => weight === least)
    const gone = kept[at]
    if (gone && !blank(gone)) missing += 1
    kept = kept.toSpliced(at, 1)
  }
  if (missing === 0) return kept
  const text = `… ${missing} more ${missing === 1 ? 'line' : 'lines'} in a taller window`
  return [...kept, { cells: [{ text, tone: 'dim' }], weight: 0 }]
}

function widthOf(cells: readonly Cell[]): number {
  // What is filled up at the end of a line is not written.
  return cells.reduce((sum, { text }, index) => {
    const shown = index === cells.length - 1 ? text.trimEnd() : text
    return sum + [...shown].length + (index === 0 ? 0 : 1)
  }, 0)
}

function cutLast(cells: readonly FittedCell[], width: number): readonly FittedCell[] {
  const last = cells.at(-1)
  if (last === undefined) return cells
  const room = width - (widthOf(cells) - [...last.text.trimEnd()].length)
  if (room < 1) return cutLast(cells.slice(0, -1), width)
  const characters = [...last.text.trimEnd()]
  const text = characters.length <= room ? last.text : `${characters.slice(0, room - 1).join('')}…`
  return [...cells.slice(0, -1), { ...last, text }]
}

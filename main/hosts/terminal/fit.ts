import { type Cell, cut } from './cells.ts'

/**
 * A cell of a line. If the line is too wide, cells are removed by their `leaves`, highest first. A cell
 * without `leaves` stays.
 */
export interface FittedCell extends Cell {
  readonly leaves?: number
}

/** A line with its weight. If the lines do not fit, those with the lowest weight are removed first. */
export interface WeighedLine {
  readonly cells: readonly FittedCell[]
  readonly weight: number
  /** The heading of this line. A heading is removed when all of its lines are removed. */
  readonly under?: WeighedLine
}

/**
 * A heading and its lines. The heading weighs as much as the heaviest line, unless `weight` is given. Empty
 * if there are no lines.
 */
export function headed(
  heading: readonly FittedCell[],
  lines: readonly WeighedLine[],
  weight = Math.max(...lines.map((line) => line.weight)),
): readonly WeighedLine[] {
  if (lines.length === 0) return []
  const first = { cells: heading, weight }
  return [first, ...lines.map((one) => ({ ...one, under: first }))]
}

/** Makes a cell removable. Cells with the highest `leaves` are removed first. */
export const leaving = (cell: Cell, leaves: number): FittedCell => ({ ...cell, leaves })

/**
 * Returns the cells that fit into `width`, with a space between them.
 *
 * Whole columns are removed, because a table that the terminal wraps is unreadable. If the remaining cells
 * are still too wide, the last one is cut.
 */
export function fitWidth(cells: readonly FittedCell[], width: number): readonly FittedCell[] {
  const [kept = []] = fitAlike([cells], width)
  return widthOf(kept) > width ? cutLast(kept, width) : kept
}

/** Removes the same columns from all lines, so that lines of different lengths stay aligned. Cuts nothing. */
export function fitAlike(
  lines: readonly (readonly FittedCell[])[],
  width: number,
): readonly (readonly FittedCell[])[] {
  let kept = lines
  while (kept.some((cells) => widthOf(cells) > width)) {
    const first = Math.max(...kept.flat().map(({ leaves }) => leaves ?? 0))
    if (first <= 0) return kept
    kept = kept.map((cells) => cells.filter(({ leaves }) => leaves !== first))
  }
  return kept
}

/**
 * Returns the lines that fit into `rows`, in their order.
 *
 * Of lines with equal weight, the lowest on the screen is removed first. The last line says how many were
 * removed. Otherwise a reader could think that a removed quota does not exist.
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
    const heading = gone?.under
    if (heading && !kept.some(({ under }) => under === heading)) kept = kept.filter((one) => one !== heading)
  }
  if (missing === 0) return kept
  const text = `… ${missing} more ${missing === 1 ? 'line' : 'lines'}; enlarge the window`
  return [...kept, { cells: [{ text, tone: 'dim' }], weight: 0 }]
}

function widthOf(cells: readonly Cell[]): number {
  // Padding at the end of a line is not counted.
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
  return [...cells.slice(0, -1), { ...last, text: cut(last.text.trimEnd(), room) }]
}

/**
 * Breaks a text between words into lines of at most `width` characters. Longer words are broken too. No text
 * is lost.
 */
export function wrapped(text: string, width: number): readonly string[] {
  const most = Math.max(1, width)
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const joined = line === '' ? word : `${line} ${word}`
    if ([...joined].length <= most) {
      line = joined
      continue
    }
    if (line !== '') lines.push(line)
    const letters = [...word]
    while (letters.length > most) lines.push(letters.splice(0, most).join(''))
    line = letters.join('')
  }
  return line === '' && lines.length > 0 ? lines : [...lines, line]
}

/** Most edits between a word and what it may have meant: a third of the longer one. */
const MAX_SHARE = 1 / 3

/** The known word that `word` was probably meant to be, by the fewest letters changed; `undefined` where none is near. */
export function suggestionFor(word: string, known: readonly string[]): string | undefined {
  const near = known
    .map((name) => ({ name, edits: editDistance(word.toLowerCase(), name) }))
    .filter(({ name, edits }) => edits <= Math.max(name.length, word.length) * MAX_SHARE)
    .sort((a, b) => a.edits - b.edits)
  return near[0]?.name
}

/** The number of letters to insert, remove, replace or swap with their neighbour to make `b` of `a`. */
export function editDistance(a: string, b: string): number {
  // A longer word is near to no command, and would cost time.
  if (Math.max(a.length, b.length) > MAX_LENGTH) return Number.POSITIVE_INFINITY
  let before: readonly number[] = []
  let row: readonly number[] = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 0; i < a.length; i += 1) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j += 1) {
      const replaced = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1)
      const isSwap = i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j]
      const swapped = isSwap ? (before[j - 1] ?? 0) + 1 : Number.POSITIVE_INFINITY
      next.push(Math.min(replaced, swapped, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    before = row
    row = next
  }
  return row[b.length] ?? 0
}

const MAX_LENGTH = 64

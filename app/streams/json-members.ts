/** The members of a JSON object by name. Values stay as received, so no number is reformatted. */
export type Members = Map<string, string>

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPENING = new Set([0x5b, 0x7b])
const CLOSING = new Set([0x5d, 0x7d])

/**
 * The members of the JSON object in `text`, which must be valid. If a name occurs twice, its last value
 * counts.
 */
export function membersOf(text: string): Members {
  const members: Members = new Map()
  let at = text.indexOf('{') + 1
  for (;;) {
    at = text.indexOf('"', at)
    if (at < 0) return members
    const nameEnd = textEnd(text, at)
    const name: unknown = JSON.parse(text.slice(at, nameEnd))
    const from = text.indexOf(':', nameEnd) + 1
    at = valueEnd(text, from)
    members.set(String(name), text.slice(from, at).trim())
  }
}

/** Serialises an object from these members, in order. */
export function textOfMembers(members: Members): string {
  return `{${Array.from(members, ([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`
}

/** Index after the string that begins with a quote at `from`. */
function textEnd(text: string, from: number): number {
  let at = from + 1
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1
  return at + 1
}

/** Index of the comma or brace after the value at `from`. */
function valueEnd(text: string, from: number): number {
  let depth = 0
  let at = from
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = textEnd(text, at) - 1
    else if (OPENING.has(code)) depth += 1
    else if (depth === 0 && (code === COMMA || CLOSING.has(code))) return at
    else if (CLOSING.has(code)) depth -= 1
    at += 1
  }
  return at
}

/** Maximum depth of a JSON text. Responses and frames of the service nest only a few levels deep. */
export const MAX_JSON_DEPTH = 64

/** The value of a JSON text. `undefined` if the text is invalid. No JSON text has the value `undefined`. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A member of a JSON value. `undefined` if the value is not an object or lacks the member. */
export const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined

/**
 * The value of a JSON text from another program. `undefined` if it is invalid or nested deeper than
 * `MAX_JSON_DEPTH`.
 *
 * Without the limit, a few megabytes of brackets take seconds and a gigabyte of memory. A byte order mark at
 * the start is ignored (RFC 8259, section 8.1).
 */
export function parseJson(marked: string): unknown {
  const text = marked.startsWith('\uFEFF') ? marked.slice(1) : marked
  return text.length > MAX_JSON_DEPTH && isTooDeep(text) ? undefined : jsonOf(text)
}

/** The fields of a parsed JSON object. `undefined` for any other value. */
export const fieldsOf = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined

const QUOTE = 0x22
const BACKSLASH = 0x5c
const BRACKETS = { open: 0x5b, close: 0x5d, openBrace: 0x7b, closeBrace: 0x7d } as const

function isTooDeep(text: string): boolean {
  let depth = 0
  let isInText = false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (isInText) {
      if (code === BACKSLASH) at += 1
      else if (code === QUOTE) isInText = false
    } else if (code === QUOTE) isInText = true
    else if (code === BRACKETS.open || code === BRACKETS.openBrace) {
      depth += 1
      if (depth > MAX_JSON_DEPTH) return true
    } else if (code === BRACKETS.close || code === BRACKETS.closeBrace) depth -= 1
  }
  return false
}

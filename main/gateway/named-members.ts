import { GATEWAY_NAME } from './problem.ts'

/** Headers with a list of proxies (RFC 9209, 9211 and 9110, section 7.6.3). */
const NAMING: ReadonlySet<string> = new Set(['proxy-status', 'cache-status', 'via'])

/** Whether a header is a list of proxies. `name` is in lower case. */
export const isNaming = (name: string): boolean => NAMING.has(name)

/**
 * The value of a header that lists proxies (`isNaming`), without the list members that name Headroom.
 * `undefined` if no member is left. All other members stay the same, byte for byte.
 *
 * A value that ends inside an open string or comment counts as empty. Headroom appends its own member later,
 * and the open string or comment would swallow that member.
 */
export function withoutOwnMembers(name: string, value: string): string | undefined {
  const members = membersOf(value, name === 'via' ? COMMENT : STRING)
  if (members === undefined) return undefined
  const spoken = name === 'via' ? viaNameOf : statusNameOf
  const kept = members.filter((member) => spoken(member)?.toLowerCase() !== GATEWAY_NAME)
  if (kept.length === members.length) return value
  return kept.length === 0 ? undefined : kept.join(',').trim()
}

/** Delimiters of strings and comments, in which commas are not separators. `Via` comments nest. */
const STRING = { open: '"', close: '"' } as const
const COMMENT = { open: '(', close: ')' } as const

function membersOf(value: string, { open, close }: typeof STRING | typeof COMMENT): string[] | undefined {
  const members: string[] = []
  let from = 0
  let depth = 0
  for (let at = 0; at < value.length; at += 1) {
    const character = value[at]
    if (depth > 0 && character === '\\') at += 1
    else if (depth > 0 && character === close) depth -= 1
    else if (character === open) depth += 1
    else if (depth === 0 && character === ',') {
      members.push(value.slice(from, at))
      from = at + 1
    }
  }
  if (depth > 0) return undefined
  members.push(value.slice(from))
  return members
}

/**
 * The name of a member of `Proxy-Status` or `Cache-Status`: a token or a string (RFC 8941), before its
 * parameters.
 */
function statusNameOf(member: string): string | undefined {
  const [, text, token] = /^\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;]*))/.exec(member) ?? []
  return text?.replace(/\\(.)/g, '$1') ?? token
}

/** The name of a member of `Via`, after its protocol and without its port. */
const viaNameOf = (member: string): string | undefined => /^\s*\S+\s+([^\s:(]+)/.exec(member)?.[1]

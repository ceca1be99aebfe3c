/**
 * One line for an argument that did not parse: which field, and what was expected of it.
 *
 * It never repeats anything that was received, neither a value nor a name: the argument may hold a secret, or be
 * one in the wrong place. Only the first step of a path is said, because contract arguments are strict objects
 * and that step is one of their declared fields; deeper ones may be keys of the input.
 */
export function argumentError(command: string, error: unknown): string {
  const issue = firstIssue(error)
  if (issue === undefined) return `${command}: the argument is not what this command takes`
  const [field] = issue.path
  const subject = typeof field === 'string' ? `${command}: ${field}` : `${command}: the argument`
  return `${subject} ${complaint(issue)}`
}

interface Issue {
  readonly path: readonly PropertyKey[]
  readonly code: string
  readonly expected?: unknown
  readonly origin?: unknown
  readonly minimum?: unknown
  readonly maximum?: unknown
  readonly values?: unknown
}

function complaint(issue: Issue): string {
  // Deeper than the declared field, limits and types are those of a part that is not named.
  if (issue.path.length > 1) return 'holds something that is not valid'
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeName(issue.expected)}`
    case 'too_big':
      return `must be at most ${size(issue, issue.maximum)}`
    case 'too_small':
      return `must be at least ${size(issue, issue.minimum)}`
    case 'invalid_value':
      return Array.isArray(issue.values) ? `must be one of ${issue.values.join(', ')}` : 'is not valid'
    case 'unrecognized_keys':
      return 'has a field that this command does not know'
    default:
      return 'is not valid'
  }
}

function typeName(expected: unknown): string {
  if (expected === 'int') return 'a whole number'
  return /^[aeiou]/.test(String(expected)) ? `an ${expected}` : `a ${expected}`
}

const size = ({ origin }: Issue, limit: unknown) =>
  origin === 'string' ? `${limit} ${limit === 1 ? 'character' : 'characters'} long` : String(limit)

function firstIssue(error: unknown): Issue | undefined {
  if (!(error instanceof Error) || !('issues' in error) || !Array.isArray(error.issues)) return undefined
  const [issue] = error.issues as readonly Partial<Issue>[]
  if (issue === undefined || !Array.isArray(issue.path) || typeof issue.code !== 'string') return undefined
  return issue as Issue
}

import { z } from 'zod'
import { systemErrorCode } from '../storage/system-error.ts'

/**
 * Describes an invalid command argument in one line: the field and the expected type or range.
 *
 * Received values and names can be secrets, so the line repeats none of them. It names only the top-level
 * field, which the contract declares.
 */
export function argumentError(command: string, error: unknown): string {
  const issue = error instanceof z.core.$ZodError ? error.issues[0] : undefined
  if (issue === undefined) return `${command}: wrong argument for this command`
  const [field] = issue.path
  const subject = typeof field === 'string' ? `${command}: ${field}` : `${command}: the argument`
  return `${subject} ${complaint(issue)}`
}

function complaint(issue: z.core.$ZodIssue): string {
  // The issue is about a value inside the field. Its limit is left out, because it would be read as the
  // field's limit.
  if (issue.path.length > 1) return 'has an invalid part'
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeName(issue.expected)}`
    case 'too_big':
      return `must be at most ${size(issue.origin, issue.maximum)}`
    case 'too_small':
      return `must be at least ${size(issue.origin, issue.minimum)}`
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}`
    case 'unrecognized_keys':
      return 'has an unknown field'
    default:
      return 'is invalid'
  }
}

function typeName(expected: string): string {
  if (expected === 'int') return 'a whole number'
  return /^[aeiou]/.test(expected) ? `an ${expected}` : `a ${expected}`
}

const size = (origin: string, limit: number | bigint) =>
  origin === 'string' ? `${limit} ${limit === 1 ? 'character' : 'characters'} long` : String(limit)

/** The error line if the port of `flag` could not be opened. `undefined` for any other error. */
export function portTaken(error: unknown, port: number, flag = '--port'): string | undefined {
  const code = systemErrorCode(error)
  if (code === 'EADDRINUSE')
    return `port ${port} is taken: choose another with ${flag}, or 0 for any free port`
  if (code === 'EACCES')
    return `port ${port} isn't allowed: choose another with ${flag}, or 0 for any free port`
  return undefined
}

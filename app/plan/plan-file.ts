import { z } from 'zod/mini'
import { PROGRAM_CLASSES } from '../contract/programs.ts'
import { CURRENT_REQUEST_QUOTAS } from '../service/categories.ts'
import { parseJson } from '../service/json.ts'
import type { StreamRequest } from '../service/stream-kinds.ts'
import { readStreamText } from '../service/stream-text.ts'
import { byQuota, limitOf, type Plan } from './plan.ts'

/** Maximum size of a plan's file in bytes. People write plans by hand, so a larger file can't be a plan. */
export const MAX_PLAN_FILE_BYTES = 1_048_576

/**
 * The plan in a file. For an invalid file, one line that names the wrong member and a valid value.
 */
export type PlanReading =
  | { readonly kind: 'plan'; readonly plan: Plan }
  | { readonly kind: 'wrong'; readonly line: string }

const MAX_PER_SECOND = 1000
const MAX_REQUESTS = 100_000
const MAX_PERIOD_SECONDS = 86_400
const MAX_PROGRAMS = 64
const MAX_ENTRIES = 256

/** A one-line name, without control characters that would reorder the text around it in a terminal. */
const name = z
  .string()
  .check(
    z.trim(),
    z.minLength(1),
    z.maxLength(64),
    z.regex(/^[^\p{Cc}\p{Bidi_Control}\u2028\u2029]+$/u, { error: 'must be text on one line' }),
  )
const stream = z.pipe(
  z.string(),
  z.transform((text: string, context): StreamRequest => {
    const read = readStreamText(text)
    if (read.ok) return read.value
    context.issues.push({ code: 'custom', input: text, message: `must be ${read.expected}` })
    return z.NEVER
  }),
)
const planFile = z.strictObject({
  programs: z
    .array(
      z.strictObject({
        name,
        class: z._default(z.enum(PROGRAM_CLASSES), 'normal'),
        weight: z._default(z.number().check(z.positive(), z.lte(1000)), 1),
        requests: z._default(
          z
            .array(
              z.strictObject({
                category: name,
                perSecond: z.number().check(z.gte(0), z.lte(MAX_PER_SECOND)),
                burst: z._default(z.int().check(z.gte(1), z.lte(MAX_REQUESTS)), 1),
              }),
            )
            .check(z.maxLength(MAX_ENTRIES)),
          [],
        ),
        streams: z._default(z.array(stream).check(z.maxLength(MAX_ENTRIES)), []),
      }),
    )
    .check(z.maxLength(MAX_PROGRAMS)),
  limits: z._default(
    z.record(
      name,
      z.strictObject({
        limit: z.int().check(z.gte(1), z.lte(MAX_REQUESTS)),
        period: z.number().check(z.positive(), z.lte(MAX_PERIOD_SECONDS)),
      }),
    ),
    {},
  ),
  reserve: z._default(z.record(name, z.int().check(z.gte(0), z.lte(MAX_REQUESTS))), {}),
})

/**
 * Reads the text of a plan's file. `undefined` stands for a file larger than `MAX_PLAN_FILE_BYTES`.
 *
 * The file lists programs with class, weight, requests and streams. It also lists limits and reserves that
 * differ from the defaults. Periods are in seconds, rates per second. Category names are case-insensitive.
 */
export function readPlan(text: string | undefined): PlanReading {
  if (text === undefined) return { kind: 'wrong', line: 'the file is over 1 MiB' }
  const value = parseJson(text)
  if (value === undefined) return { kind: 'wrong', line: 'the file is not JSON' }
  const read = planFile.safeParse(value)
  if (!read.success) {
    const [issue] = read.error.issues
    return { kind: 'wrong', line: issue === undefined ? 'the file is not a plan' : complaint(issue) }
  }
  const { programs, limits, reserve } = read.data
  const twice = programs.findIndex((one, at) => programs.findIndex((other) => other.name === one.name) !== at)
  if (twice >= 0) return { kind: 'wrong', line: `programs[${twice}].name: another program has this name` }
  const plan: Plan = {
    programs: programs.map((program) => ({
      ...program,
      requests: program.requests.map((one) => ({ ...one, category: known(one.category) })),
    })),
    limits: Object.fromEntries(
      Object.entries(limits).map(([category, { limit, period }]) => [
        known(category),
        { limit, periodSeconds: period },
      ]),
    ),
    reserves: Object.fromEntries(Object.entries(reserve).map(([category, kept]) => [known(category), kept])),
  }
  const unknown = firstUnknown(plan)
  if (unknown !== undefined) return { kind: 'wrong', line: unknown }
  // A program may list a category more than once. The page and advice need a single entry.
  const merged = plan.programs.map((one) => ({ ...one, requests: byQuota(plan, one.requests) }))
  return { kind: 'plan', plan: { ...plan, programs: merged } }
}

const known = (category: string): string =>
  CURRENT_REQUEST_QUOTAS.find((quota) => quota.category.toLowerCase() === category.toLowerCase())?.category ??
  category

/**
 * What is wrong if a category's limit is neither in the table nor in the plan. Such a plan can't be judged.
 */
function firstUnknown(plan: Plan): string | undefined {
  for (const [at, { requests }] of plan.programs.entries()) {
    const unknown = requests.findIndex(({ category }) => limitOf(plan, category) === undefined)
    if (unknown >= 0) {
      const names = CURRENT_REQUEST_QUOTAS.map(({ category }) => category).join(', ')
      return `programs[${at}].requests[${unknown}].category must have a limit in limits, or be one of ${names}`
    }
  }
  const [unused] = Object.keys(plan.reserves).filter((category) => limitOf(plan, category) === undefined)
  return unused === undefined ? undefined : `reserve.${unused} must have a limit in limits`
}

function complaint({ path, code, message, ...issue }: z.core.$ZodIssue): string {
  const where = pathText(path)
  const member = where === '' ? 'the file' : where
  switch (code) {
    case 'invalid_type':
      return `${member} must be ${typeText(String('expected' in issue ? issue.expected : 'there'))}`
    case 'unrecognized_keys': {
      const [key = ''] = 'keys' in issue ? issue.keys : []
      return `${pathText([...path, key])} is not a field of a plan`
    }
    case 'too_big':
      return `${member} must be at most ${'maximum' in issue ? issue.maximum : 'smaller'}`
    case 'too_small':
      return `${member} must be ${'inclusive' in issue && issue.inclusive ? 'at least' : 'above'} ${'minimum' in issue ? issue.minimum : 0}`
    case 'invalid_value':
      return `${member} must be one of ${'values' in issue ? issue.values.join(', ') : 'the known values'}`
    default:
      return `${member} ${message.startsWith('must') ? message : 'is not valid'}`
  }
}

const typeText = (expected: string) =>
  expected === 'int' ? 'a whole number' : /^[aeiou]/.test(expected) ? `an ${expected}` : `a ${expected}`

/** A member's path, such as `programs[0].requests[1].burst`. Names from the file are cut to one line. */
const pathText = (path: readonly PropertyKey[]): string =>
  path
    .map((step) =>
      typeof step === 'number'
        ? `[${step}]`
        : `.${String(step)
            .replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, ' ')
            .slice(0, 64)}`,
    )
    .join('')
    .replace(/^\./, '')

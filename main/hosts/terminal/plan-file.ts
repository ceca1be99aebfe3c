import { z } from 'zod'
import { PROGRAM_CLASSES } from '../../../app/gateway/decisions.ts'
import { limitOf, type Plan } from '../../../app/plan/plan.ts'
import { CURRENT_REQUEST_QUOTAS } from '../../../app/service/categories.ts'
import type { StreamRequest } from '../../../app/service/stream-kinds.ts'
import { streamFlag } from './stream-flag.ts'

/** The plan of a file, or one line that names the member that is wrong and what it has to be. */
export type PlanReading =
  | { readonly kind: 'plan'; readonly plan: Plan }
  | { readonly kind: 'wrong'; readonly line: string }

const MAX_PER_SECOND = 1000
const MAX_REQUESTS = 100_000
const MAX_PERIOD_SECONDS = 86_400
const MAX_PROGRAMS = 64
const MAX_ENTRIES = 256

const name = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .regex(/^\P{Cc}+$/u, 'must be text in one line')
const stream = z.string().transform((text, context): StreamRequest => {
  const read = streamFlag(text)
  if (read.ok) return read.value
  context.addIssue(`must be ${read.expected}`)
  return z.NEVER
})
const planFile = z.strictObject({
  programs: z
    .array(
      z.strictObject({
        name,
        class: z.enum(PROGRAM_CLASSES).default('normal'),
        weight: z.number().positive().max(1000).default(1),
        requests: z
          .array(
            z.strictObject({
              category: name,
              perSecond: z.number().min(0).max(MAX_PER_SECOND),
              burst: z.int().min(1).max(MAX_REQUESTS).default(1),
            }),
          )
          .max(MAX_ENTRIES)
          .default([]),
        streams: z.array(stream).max(MAX_ENTRIES).default([]),
      }),
    )
    .max(MAX_PROGRAMS),
  limits: z
    .record(
      name,
      z.strictObject({
        limit: z.int().min(1).max(MAX_REQUESTS),
        period: z.number().positive().max(MAX_PERIOD_SECONDS),
      }),
    )
    .default({}),
  reserve: z.record(name, z.int().min(0).max(MAX_REQUESTS)).default({}),
})

/**
 * Reads the text of a plan's file: programs with their class, weight, requests and streams, and limits and reserves that differ
 * from the defaults. Periods and rates are in seconds. Categories are taken in any case and named as the service does.
 */
export function readPlan(text: string): PlanReading {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return { kind: 'wrong', line: 'it is not JSON' }
  }
  const read = planFile.safeParse(value)
  if (!read.success) {
    const [issue] = read.error.issues
    return { kind: 'wrong', line: issue === undefined ? 'it is not a plan' : complaint(issue) }
  }
  const { programs, limits, reserve } = read.data
  const twice = programs.findIndex((one, at) => programs.findIndex((other) => other.name === one.name) !== at)
  if (twice >= 0) return { kind: 'wrong', line: `programs[${twice}].name is there twice` }
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
  return unknown === undefined ? { kind: 'plan', plan } : { kind: 'wrong', line: unknown }
}

const known = (category: string): string =>
  CURRENT_REQUEST_QUOTAS.find((quota) => quota.category.toLowerCase() === category.toLowerCase())?.category ??
  category

/** A category that neither the table nor the plan gives a limit cannot be judged. */
function firstUnknown(plan: Plan): string | undefined {
  for (const [at, { requests }] of plan.programs.entries()) {
    const unknown = requests.findIndex(({ category }) => limitOf(plan, category) === undefined)
    if (unknown >= 0) {
      const names = CURRENT_REQUEST_QUOTAS.map(({ category }) => category).join(', ')
      return `programs[${at}].requests[${unknown}].category must have a limit in limits, or be one of ${names}`
    }
  }
  const [unused] = Object.keys(plan.reserves).filter((category) => limitOf(plan, category) === undefined)
  return unused === undefined ? undefined : `reserve.${unused} is of a category without a limit`
}

function complaint({ path, code, message, ...issue }: z.core.$ZodIssue): string {
  const where = pathText(path)
  const member = where === '' ? 'the file' : where
  switch (code) {
    case 'invalid_type':
      return `${member} must be ${typeText(String('expected' in issue ? issue.expected : 'there'))}`
    case 'unrecognized_keys': {
      const [key = ''] = 'keys' in issue ? issue.keys : []
      return `${pathText([...path, key])} is not a member of a plan`
    }
    case 'too_big':
      return `${member} must be at most ${'maximum' in issue ? issue.maximum : 'smaller'}`
    case 'too_small':
      return `${member} must be ${'inclusive' in issue && issue.inclusive ? 'at least' : 'above'} ${'minimum' in issue ? issue.minimum : 0}`
    case 'invalid_value':
      return `${member} must be one of ${'values' in issue ? issue.values.join(', ') : 'the known ones'}`
    default:
      return `${member} ${message.startsWith('must') ? message : 'is not valid'}`
  }
}

const typeText = (expected: string) =>
  expected === 'int' ? 'a whole number' : /^[aeiou]/.test(expected) ? `an ${expected}` : `a ${expected}`

/** `programs[0].requests[1].burst`. Names from the file are cut to one line. */
const pathText = (path: readonly PropertyKey[]): string =>
  path
    .map((step) =>
      typeof step === 'number'
        ? `[${step}]`
        : `.${String(step)
            .replace(/\p{Cc}/gu, ' ')
            .slice(0, 64)}`,
    )
    .join('')
    .replace(/^\./, '')

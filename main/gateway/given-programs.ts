import {
  DEFAULT_MAX_ORDERS,
  GATEWAY_KEYS,
  PROGRAM_CLASSES,
  PROGRAM_LIMITS,
  PROGRAM_NAME,
} from '../../app/contract/programs.ts'
import type { Program } from './programs.ts'

/** A program with a key that a person chose, for unattended runs. It is not stored. */
export interface GivenProgram extends Pick<Program, 'name' | 'class' | 'weight' | 'maxOrders'> {
  readonly key: string
}

export type GivenPrograms =
  | { readonly kind: 'given'; readonly programs: readonly GivenProgram[] }
  /** One line that names the entry and its fault, without the key. */
  | { readonly kind: 'unusable'; readonly line: string }

/** Minimum length of a key. A shorter one could be guessed. */
const MIN_KEY = 16
/** Characters of a bearer token (RFC 6750, section 2.1), up to the length that the door accepts. */
const KEY = /^[\w.~+/-]{1,510}=*$/

const ENTRY = 'name[:class[:weight]][:orders]=key'

/**
 * Reads the value of `GATEWAY_KEYS`, such as `bot:critical=KEY,notes=KEY`. The form of each entry is
 * `name[:class[:weight]][:orders]=key`.
 */
export function givenPrograms(text: string | undefined): GivenPrograms {
  const programs: GivenProgram[] = []
  const entries = (text ?? '').split(',').map((entry) => entry.trim())
  for (const [i, entry] of entries.entries()) {
    if (entry === '') continue
    const read = programOf(entry)
    const problem = typeof read === 'string' ? read : whyTwice(read, programs)
    if (problem !== undefined)
      return { kind: 'unusable', line: `${GATEWAY_KEYS}, entry ${i + 1}: ${problem}` }
    if (typeof read !== 'string') programs.push(read)
  }
  return programs.length > PROGRAM_LIMITS.programs
    ? { kind: 'unusable', line: `${GATEWAY_KEYS}: at most ${PROGRAM_LIMITS.programs} programs` }
    : { kind: 'given', programs }
}

/** The program of an entry, or the entry's error. Errors quote no part of the entry: it could be the key. */
function programOf(entry: string): GivenProgram | string {
  const equals = entry.indexOf('=')
  if (equals < 0) return `expected ${ENTRY}`
  const key = entry.slice(equals + 1).trim()
  const parts = entry
    .slice(0, equals)
    .split(':')
    .map((part) => part.trim())
  const mayOrder = parts.length > 1 && parts.at(-1) === 'orders'
  const [name = '', own = 'normal', share = '1', ...more] = mayOrder ? parts.slice(0, -1) : parts
  if (more.length > 0) return `expected ${ENTRY}`
  if (name.length > PROGRAM_LIMITS.name || !PROGRAM_NAME.test(name))
    return `expected a name of up to ${PROGRAM_LIMITS.name} letters, digits, spaces, dots and dashes before the =`
  const programClass = PROGRAM_CLASSES.find((one) => one === own)
  if (programClass === undefined) return `expected a class after the name: ${PROGRAM_CLASSES.join(', ')}`
  const { least, most } = PROGRAM_LIMITS.weight
  const weight = /^\d{1,6}(?:\.\d{1,6})?$/.test(share) ? Number(share) : Number.NaN
  if (!(weight >= least && weight <= most))
    return `expected a weight from ${least} to ${most} after the class`
  if (key.length < MIN_KEY) return `its key needs at least ${MIN_KEY} characters`
  if (!KEY.test(key)) return 'use letters, digits and - . _ ~ + / in its key, and = only at its end'
  return { name, class: programClass, weight, ...(mayOrder && { maxOrders: DEFAULT_MAX_ORDERS }), key }
}

function whyTwice({ name, key }: GivenProgram, before: readonly GivenProgram[]): string | undefined {
  if (before.some((other) => other.name.toLowerCase() === name.toLowerCase()))
    return 'another program has this name'
  return before.some((other) => other.key === key) ? 'another program has this key' : undefined
}

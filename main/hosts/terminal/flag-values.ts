import { type Command, InvalidArgumentError, Option } from 'commander'
import { z } from 'zod/mini'
import { PROGRAM_LIMITS, PROGRAM_NAME } from '../../../app/contract/programs.ts'
import { ORIGIN_FORM } from '../../../app/service/service-origin.ts'
import { isSymbol } from '../../../app/service/stream-paths.ts'
import { listText } from '../../../app/status/rates.ts'
import { addressOf } from '../../sign-in/connect-key.ts'
import { faultProblem } from '../../simulator/options.ts'

/** The result of a flag's parser: the value, or a phrase that describes the expected value. */
export type ParsedFlag<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly expected: string }

export const parsed = <T>(value: T): ParsedFlag<T> => ({ ok: true, value })
export const expected = (what: string): ParsedFlag<never> => ({ ok: false, expected: what })

/** Adapts a parser to commander. Adds the expected value to commander's error about a flag's value. */
export const argument =
  <T>(parse: (text: string) => ParsedFlag<T>) =>
  (text: string): T => {
    const result = parse(text)
    if (!result.ok) throw new InvalidArgumentError(`Expected ${result.expected}.`)
    return result.value
  }

declare const value: unique symbol
declare const given: unique symbol

/** A flag whose value is a `T`, or absent. */
export interface Flag<T> {
  readonly option: Option
  /** The actions of the command that take this flag. Absent: all of them. */
  readonly actions?: readonly string[]
  readonly [value]?: T
  /** Gives the flag a default value. */
  or(preset: T): GivenFlag<T>
  /** Limits the flag to these actions of its command. Its help then begins with them. */
  with(...actions: readonly string[]): Flag<T>
}

/** A flag that always has a value. */
export interface GivenFlag<T> extends Flag<T> {
  readonly [given]: true
}

export type Flags = Readonly<Record<string, Flag<unknown>>>

type GivenNames<F extends Flags> = { [N in keyof F]: F[N] extends GivenFlag<unknown> ? N : never }[keyof F]
type ValueOf<F> = F extends Flag<infer T> ? T : never

export type FlagsOf<F extends Flags> = { readonly [N in GivenNames<F>]: ValueOf<F[N]> } & {
  readonly [N in Exclude<keyof F, GivenNames<F>>]?: ValueOf<F[N]>
}

const flagOf = <T>(option: Option): Flag<T> => ({
  option,
  or: (preset) => flagOf<T>(option.default(preset)) as GivenFlag<T>,
  with: (...actions) => {
    option.description = `with ${listText(actions)}: ${option.description}`
    return { ...flagOf<T>(option), actions }
  },
})

/** A flag without a value. */
export const onFlag = (name: string, description: string): Flag<true> => flagOf(new Option(name, description))

/** The flag `--no-NAME`. */
export const offFlag = (name: string, description: string) =>
  flagOf<boolean>(new Option(name, description)) as GivenFlag<boolean>

export const flag = <T>(name: string, description: string, parse: (text: string) => ParsedFlag<T>): Flag<T> =>
  flagOf(new Option(name, description).argParser(argument(parse)))

/** A flag that may be repeated. */
export const flagList = <T>(
  name: string,
  description: string,
  parse: (text: string) => ParsedFlag<T>,
): Flag<readonly T[]> =>
  flagOf(
    new Option(name, description).argParser((text, before?: readonly T[]) => [
      ...(before ?? []),
      argument(parse)(text),
    ]),
  )

/** The first given flag that an action doesn't take, as on the command line. `undefined` if it takes all. */
export function foreignFlag<F extends Flags>(
  action: string,
  given: Readonly<Partial<Record<keyof F, unknown>>>,
  flags: F,
): string | undefined {
  const isForeign = ([name, { actions }]: [string, Flag<unknown>]) =>
    given[name] !== undefined && actions?.includes(action) === false
  return Object.entries(flags).find(isForeign)?.[1].option.long
}

export function withFlags(command: Command, flags: Flags): Command {
  for (const { option } of Object.values(flags)) command.addOption(option)
  return command
}

export const wordFlag =
  <const W extends string>(words: readonly W[]) =>
  (text: string): ParsedFlag<W> => {
    const word = words.find((known) => known === text)
    return word === undefined ? expected(`one of ${words.join(', ')}`) : parsed(word)
  }

/**
 * Parses an id or a folder. Rejects a text that begins with `--`: it is the next flag, and the value of this
 * flag is missing.
 */
export function textFlag(text: string): ParsedFlag<string> {
  const usable = text.trim() !== '' && !/\p{Cc}/u.test(text) && !text.startsWith('--')
  return usable ? parsed(text) : expected('some text')
}

/** Maximum duration in seconds: longer than any run, and below a timer's 2³¹−1 ms. */
const MAX_SECONDS = 2_000_000

interface NumberRange {
  /** Exclusive lower bound. `atLeast` is inclusive. */
  readonly above?: number
  readonly atLeast?: number
  readonly atMost: number
  readonly unit: string
}

/** Creates a parser of decimal numbers within a range. */
export const numberFlag =
  ({ above, atLeast, atMost, unit }: NumberRange) =>
  (text: string): ParsedFlag<number> => {
    const value = decimal(text)
    const low = above !== undefined ? `above ${above}, at most` : `from ${atLeast ?? 0} to`
    const fits =
      value !== undefined &&
      value <= atMost &&
      (above !== undefined ? value > above : value >= (atLeast ?? 0))
    return fits ? parsed(value) : expected(`a number of ${unit} ${low} ${atMost}`)
  }

/** Parses a duration in seconds, greater than 0. */
export const secondsFlag = numberFlag({ above: 0, atMost: MAX_SECONDS, unit: 'seconds' })

/** Parses a duration in seconds, 0 included. */
export const secondsOrZeroFlag = numberFlag({ atLeast: 0, atMost: MAX_SECONDS, unit: 'seconds' })

/** Parses a port. 0 selects a free one. */
export function portFlag(text: string): ParsedFlag<number> {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  return port <= 65_535 ? parsed(port) : expected('a whole number from 0 to 65535')
}

/** Parses a plain decimal number. `Number` would also accept '', ' ', '0x10', '1e9' and 'Infinity'. */
export function decimal(text: string): number | undefined {
  return /^\d{1,12}(?:\.\d{1,9})?$/.test(text) ? Number(text) : undefined
}

/** Parses the origin of a sign-in or resource host, by the same rule as in the window. */
export function addressFlag(text: string): ParsedFlag<string> {
  const origin = addressOf(text)
  return origin === undefined ? expected(ORIGIN_FORM) : parsed(origin)
}

/** Parses a date or time in ISO 8601 to epoch milliseconds. A time without a zone is UTC. */
export function timeFlag(text: string): ParsedFlag<number> {
  const found = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)(Z|[+-]\d{2}:\d{2})?)?$/.exec(
    text,
  )
  const [, date, time = '00:00', zone = 'Z'] = found ?? []
  // `Date.parse` takes February 30 for March 2, so the date is checked by itself.
  const ms = z.iso.date().safeParse(date).success ? Date.parse(`${date}T${time}${zone}`) : Number.NaN
  return Number.isNaN(ms) ? expected('a time such as 2026-01-05 or 2026-01-05T15:30Z') : parsed(ms)
}

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const MAX_AGO_MS = 400 * UNIT_MS.d

/** Parses a duration above 0 and up to 400 days, such as `90m`, `24h` or `7d`, to milliseconds. */
export function agoFlag(text: string): ParsedFlag<number> {
  const [, number = '', unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  const ms = unit === undefined ? 0 : Number(number) * UNIT_MS[unit as keyof typeof UNIT_MS]
  return ms > 0 && ms <= MAX_AGO_MS ? parsed(ms) : expected('a duration such as 90m, 24h or 7d')
}

/** Parses one symbol that is valid in the path of a request. */
export function symbolFlag(text: string): ParsedFlag<string> {
  const symbol = text.trim()
  return isSymbol(symbol) ? parsed(symbol) : expected('one symbol, such as MSFT')
}

export function programNameFlag(text: string): ParsedFlag<string> {
  return PROGRAM_NAME.test(text) && text.length <= PROGRAM_LIMITS.name
    ? parsed(text)
    : expected(`a name of up to ${PROGRAM_LIMITS.name} letters, digits, spaces, dots and dashes`)
}

/** Parses `--fault NAME`, `NAME:TIMES` or `NAME:always`. */
export function faultFlag(text: string): ParsedFlag<string> {
  const problem = faultProblem(text)
  return problem === undefined ? parsed(text) : expected(`a fault from simulate --help; ${problem}`)
}

/** The flag that names the data folder. */
export const DATA = flag(
  '--data <folder>',
  "data folder (default: the platform's folder for Headroom)",
  textFlag,
)
/** The flag that names a key. `which` says which key. */
export const profileFlag = (which: string) =>
  flag('--profile <id>', `${which}, by the name shown in status output`, textFlag)

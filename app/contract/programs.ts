/** Classes of programs, most urgent first. Each class leaves part of a quota to more urgent classes. */
export const PROGRAM_CLASSES = ['critical', 'normal', 'background'] as const
export type ProgramClass = (typeof PROGRAM_CLASSES)[number]

export const DEFAULT_GATEWAY_PORT = 4791

/** The environment variable with programs and their keys. See `givenPrograms`. */
export const GATEWAY_KEYS = 'HEADROOM_GATEWAY_KEYS'

/**
 * Default share of a quota that normal programs leave to critical programs. Background programs leave twice
 * as much.
 */
export const DEFAULT_RESERVE_SHARE = 0.06

/** Default reserve of a quota in whole requests, at least one. */
export const defaultReserve = (limit: number): number => Math.max(1, Math.ceil(DEFAULT_RESERVE_SHARE * limit))

/** The reserve that was set for a category, in requests. `undefined`: the default. */
export const reserveOf = (
  reserves: Readonly<Record<string, number>> | undefined,
  category: string,
): number | undefined =>
  reserves !== undefined && Object.hasOwn(reserves, category) ? reserves[category] : undefined

/** Limits of a person's input about programs. */
export const PROGRAM_LIMITS = {
  programs: 64,
  name: 40,
  weight: { least: 0.01, most: 100 },
  /** Maximum number of orders in any minute, for a program that may send orders. */
  maxOrders: { least: 1, most: 10_000 },
} as const

/** Default maximum number of orders in any minute. */
export const DEFAULT_MAX_ORDERS = 30

/** How long a paused program gets 429s, in minutes. */
export const PAUSE_MINUTES = 5

/**
 * A program's name appears in tables and labels. Letters, digits and a few punctuation characters are
 * allowed.
 */
export const PROGRAM_NAME: RegExp = /^[\p{L}\p{N}](?:[\p{L}\p{N} ._-]*[\p{L}\p{N}])?$/u

/** Letters of other alphabets, each followed by the Latin letter that looks the same in most fonts. */
const DRAWN_AS = [
  ...['аa', 'еe', 'оo', 'рp', 'сc', 'уy', 'хx', 'ѕs', 'іi', 'јj', 'һh', 'ԁd', 'ԛq', 'ԝw', 'ӏl', 'кk'],
  ...['АA', 'ВB', 'ЕE', 'КK', 'МM', 'НH', 'ОO', 'РP', 'СC', 'ТT', 'ХX', 'УY', 'ЅS', 'ІI', 'ЈJ'],
  ...['οo', 'αa', 'νv', 'ρp', 'υu', 'ιi', 'κk', 'χx'],
  ...['ΑA', 'ΒB', 'ΕE', 'ΖZ', 'ΗH', 'ΙI', 'ΚK', 'ΜM', 'ΝN', 'ΟO', 'ΡP', 'ΤT', 'ΥY', 'ΧX'],
]
const LATIN = new Map(DRAWN_AS.map((pair) => [pair.slice(0, 1), pair.slice(1)]))

const drawn = (name: string): string =>
  [...name.normalize('NFKC')]
    .map((letter) => LATIN.get(letter) ?? letter)
    .join('')
    .toLowerCase()

/**
 * Whether two names look alike in a table. Such names differ only in case, letter width, or Greek and
 * Cyrillic letters that look like Latin ones.
 */
export const looksAlike = (one: string, other: string): boolean => drawn(one) === drawn(other)

/** The urgency of a program's requests, highest first: each class leaves more of a bucket to those before it. */
export const PROGRAM_CLASSES = ['critical', 'normal', 'background'] as const
export type ProgramClass = (typeof PROGRAM_CLASSES)[number]

/** The port of the gateway unless a person chooses another one. */
export const DEFAULT_GATEWAY_PORT = 4791

/** The default share of a quota that normal programs leave to critical ones, and background programs twice. */
export const DEFAULT_RESERVE_SHARE = 0.06

/** The reserve of a quota where none is set, in whole requests: at least one. */
export const defaultReserve = (limit: number): number => Math.max(1, Math.ceil(DEFAULT_RESERVE_SHARE * limit))

/** The limits of what a person enters about programs. */
export const PROGRAM_LIMITS = { programs: 64, name: 40, weight: { least: 0.01, most: 100 } } as const

/** How long a paused program is answered with 429, in minutes. */
export const PAUSE_MINUTES = 5

/** A program's name: letters, digits, and a few signs between them, for it stands in tables and labels. */
export const PROGRAM_NAME: RegExp = /^[\p{L}\p{N}](?:[\p{L}\p{N} ._-]*[\p{L}\p{N}])?$/u

/** Letters of other alphabets, each before the Latin one that most fonts draw the same. */
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
 * Whether two names may be taken for each other in a table: they differ in case, in the width of letters, or in letters of
 * Greek and Cyrillic that look like Latin ones.
 */
export const looksAlike = (one: string, other: string): boolean => drawn(one) === drawn(other)

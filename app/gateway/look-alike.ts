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

/** Names that mean nothing to whoever is given them. */
const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789'
const lettersOf = (random: () => number, count: number, alphabet: string): string =>
  Array.from({ length: count }, () => alphabet[Math.floor(random() * alphabet.length)]).join('')

export const opaqueToken = (random: () => number): string => `sim.${lettersOf(random, 40, LETTERS)}`

export const requestIdOf = (random: () => number): string =>
  [8, 4, 4, 4, 12].map((count) => lettersOf(random, count, '0123456789abcdef')).join('-')

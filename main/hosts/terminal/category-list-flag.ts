import { expected, type ParsedFlag, parsed } from './parsed-flag.ts'

/**
 * Reads `Positions=1.0,Accounts=0.2`: a number for each of the named categories.
 *
 * Names are matched whatever their case, and come back as INTERFACES.md writes them.
 */
export function categoryNumbers(
  text: string,
  categories: readonly string[],
  number: (text: string) => ParsedFlag<number>,
): ParsedFlag<Readonly<Record<string, number>>> {
  const numbers: Record<string, number> = {}
  for (const part of text.split(',')) {
    const [name = '', value, ...more] = part.split('=').map((piece) => piece.trim())
    if (value === undefined || more.length > 0) return expected(`CATEGORY=NUMBER,…, not "${part.trim()}"`)
    const category = categories.find((known) => known.toLowerCase() === name.toLowerCase())
    if (category === undefined) return expected(`a category out of ${categories.join(', ')}; not "${name}"`)
    if (category in numbers) return expected(`each category once, and ${category} is there twice`)
    const result = number(value)
    if (!result.ok) return expected(`${result.expected} for ${category}`)
    numbers[category] = result.value
  }
  return parsed(numbers)
}

import { isSymbol } from '../../../app/service/stream-paths.ts'
import { expected, type ParsedFlag, parsed } from './parsed-flag.ts'

/** One symbol, fit for the path of a request. */
export function symbolFlag(text: string): ParsedFlag<string> {
  const symbol = text.trim()
  return isSymbol(symbol) ? parsed(symbol) : expected('one symbol, as in MSFT')
}

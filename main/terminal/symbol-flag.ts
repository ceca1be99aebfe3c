import { streamPath } from '../../app/service/stream-paths.ts'
import { expected, type ParsedFlag, parsed } from './parsed-flag.ts'

/** One symbol, fit for the path of a request. */
export function symbolFlag(text: string): ParsedFlag<string> {
  const symbol = text.trim()
  const isOne = streamPath({ kind: 'barcharts', target: symbol, options: {} }).ok
  return isOne ? parsed(symbol) : expected('one symbol, as in MSFT')
}

import { faultProblem } from '../../simulator/options.ts'
import { expected, type ParsedFlag, parsed } from './parsed-flag.ts'

/** `--fault NAME`, `NAME:TIMES` or `NAME:always`. */
export function faultFlag(text: string): ParsedFlag<string> {
  const problem = faultProblem(text)
  return problem === undefined ? parsed(text) : expected(`a fault that simulate --help lists; ${problem}`)
}

import { serviceOrigin } from '../../sign-in/connect-key.ts'
import { expected, type ParsedFlag, parsed } from './parsed-flag.ts'

/** The origin of a sign-in or resource host, by the same rule as in a window. */
export function addressFlag(text: string): ParsedFlag<string> {
  const origin = serviceOrigin(text)
  return origin === undefined
    ? expected('an address like https://HOST, or http:// on loopback, with nothing after the host')
    : parsed(origin)
}

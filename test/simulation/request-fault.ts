import type { FaultProfile } from './fault-profile.ts'

/** What happens to one request on the network. */
export type RequestFault =
  | 'arrives'
  | 'lost-request'
  | 'lost-answer'
  | 'cut'
  | 'black-hole'
  | 'late'
  | 'duplicated'
  | 'portal'
  | 'throttled'

/** `draw` is a random number in [0, 1). One is enough, because a request has at most one fault. */
export function requestFaultOf(faultProfile: FaultProfile, draw: number): RequestFault {
  let left = draw
  for (const [requestFault, probability] of [
    ['lost-request', faultProfile.lostRequest],
    ['lost-answer', faultProfile.lostAnswer],
    ['cut', faultProfile.cutAnswer],
    ['black-hole', faultProfile.blackHole],
    ['late', faultProfile.lateAnswer],
    ['duplicated', faultProfile.duplicated],
    ['portal', faultProfile.portal],
    ['throttled', faultProfile.throttled],
  ] as const) {
    if (left < probability) return requestFault
    left -= probability
  }
  return 'arrives'
}

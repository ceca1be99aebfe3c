import type { FaultProfile } from './fault-profile.ts'

/** What becomes of one request on its way. */
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

/** `draw` is in [0, 1). One draw is enough, because at most one thing goes wrong with a request. */
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

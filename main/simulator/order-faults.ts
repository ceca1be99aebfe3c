import type { Faults } from './rules/faults.ts'
import { type Answer, errorAnswer, type ServiceReply } from './wire.ts'

const SERVER_ERRORS = {
  500: 'InternalServerError',
  502: 'BadGateway',
  503: 'ServiceUnavailable',
  504: 'GatewayTimeout',
} as const

/** How long `order-late-response` delays an answer, in milliseconds. */
export const LATE_RESPONSE_MS = 12_000

/**
 * The reply of an armed fault that keeps an order from being accepted. `undefined` if no such fault is armed.
 */
export function untakenOrder(faults: Faults, rateLimited: () => Answer): ServiceReply | undefined {
  if (faults.strike('order-reset')) return { kind: 'reset' }
  if (faults.strike('order-401')) return errorAnswer(401, 'Unauthorized', 'The token is not accepted.')
  if (faults.strike('order-429')) return rateLimited()
  return serverError(faults, '')
}

/** The reply to an accepted order: `answer`, or the reply of an armed fault. */
export function takenOrder(faults: Faults, answer: Answer): ServiceReply {
  if (faults.strike('order-lost-response')) return { kind: 'reset' }
  if (faults.strike('order-cut-response')) {
    return { kind: 'cut', answer, sentBytes: Math.floor(answer.body.length / 2) }
  }
  if (faults.strike('order-silence')) return { kind: 'silence' }
  if (faults.strike('order-late-response')) return { ...answer, delayMs: LATE_RESPONSE_MS }
  return serverError(faults, '-taken') ?? answer
}

function serverError(faults: Faults, suffix: '' | '-taken'): Answer | undefined {
  const struck = Object.entries(SERVER_ERRORS).find(([status]) => faults.strike(`order-${status}${suffix}`))
  return struck && errorAnswer(Number(struck[0]), struck[1], 'The order service failed.')
}

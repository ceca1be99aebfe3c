import type { Answer } from '../../main/simulator/wire.ts'

/** The older variant of a 429, without any quota header (service 2.3). */
const THROTTLED: Answer = {
  kind: 'answer',
  status: 429,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ Error: 'TooManyRequests', Message: 'Rate quota exceeded' }),
}
/**
 * The 429 of a proxy in front of the service. It has its own text, and no headers about the service's quotas.
 */
const THROTTLED_IN_FRONT: Answer = {
  kind: 'answer',
  status: 429,
  headers: { 'Content-Type': 'text/html' },
  body: '<html><h1>Too many requests</h1></html>',
}

/** Returns both forms alternately, because proxies in front of the service send either. */
export const throttledAnswer = (turn: number): Answer => (turn % 2 === 0 ? THROTTLED : THROTTLED_IN_FRONT)

/** A login page of the network instead of the service. */
export const PORTAL_ANSWER: Answer = {
  kind: 'answer',
  status: 200,
  headers: { 'Content-Type': 'text/html' },
  body: '<!doctype html><title>Welcome</title><h1>Network sign-in</h1>',
}

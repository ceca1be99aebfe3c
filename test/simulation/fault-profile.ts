/** The condition of the path to the service at one moment. Probabilities are per request. */
export interface FaultProfile {
  readonly offline: boolean
  readonly latencyMs: readonly [low: number, high: number]
  /** The connection dies before the service reads the request. */
  readonly lostRequest: number
  /** The service carries out the request, but its response is lost with the connection. */
  readonly lostAnswer: number
  /** Half of the answer arrives. */
  readonly cutAnswer: number
  /** No response ever arrives; the service may or may not have received the request. */
  readonly blackHole: number
  /** The answer comes very late, often after the caller gave up. */
  readonly lateAnswer: number
  /** A proxy sends one GET twice and forwards the first response. */
  readonly duplicated: number
  /** A login page of the network instead of the service. */
  readonly portal: number
  /**
   * A gateway responds with 429 in the older form, without quota headers. The request never reaches the
   * service.
   */
  readonly throttled: number
  /** An open stream loses its connection, per minute. */
  readonly streamReset: number
}

export const FAIR: FaultProfile = {
  offline: false,
  latencyMs: [20, 120],
  lostRequest: 0,
  lostAnswer: 0,
  cutAnswer: 0,
  blackHole: 0,
  lateAnswer: 0,
  duplicated: 0,
  portal: 0,
  throttled: 0,
  streamReset: 0,
}

export const ROUGH: FaultProfile = {
  offline: false,
  latencyMs: [30, 900],
  lostRequest: 0.03,
  lostAnswer: 0.03,
  cutAnswer: 0.02,
  blackHole: 0.02,
  lateAnswer: 0.02,
  duplicated: 0.01,
  portal: 0.01,
  throttled: 0,
  streamReset: 0.02,
}

export const OFFLINE: FaultProfile = { ...FAIR, offline: true }

/** A proxy on the way rejects most requests. */
export const STORM: FaultProfile = { ...FAIR, throttled: 0.7 }

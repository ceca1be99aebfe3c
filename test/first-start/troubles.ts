/** The faults that are caused in turn, each once in eighteen minutes. */
export const TROUBLE_KINDS = ['host', 'token', 'stream', 'disk', 'sign-in', 'both'] as const
export type TroubleKind = (typeof TROUBLE_KINDS)[number]

/** One fault that was caused on purpose. Times in epoch ms. */
export interface Trouble {
  readonly kind: TroubleKind
  readonly fromMs: number
  /** Absent while the fault lasts. */
  readonly toMs?: number
}

/** Time between the starts of two faults. */
export const TROUBLE_EVERY_MS = 180_000
/**
 * How long a fault may still be shown after its end. Retries are up to 60 s apart, and alerts are withdrawn
 * with a delay.
 */
export const BACK_MS = 75_000

/** What must be shown of a fault, and how soon after its start. */
interface Expected {
  /** The label, on every surface. */
  readonly word: RegExp
  readonly headline: RegExp
  /** Title of its alert. */
  readonly alert: RegExp
  /** Text of its open incident. Absent if it has no incident that lasts. */
  readonly incident?: RegExp
  /** Whether all calls fail. In that case, no row, slot or part of the key may be shown as fine. */
  readonly stops: boolean
  /** How long the fault lasts. A fault that is announced only after a minute lasts longer. */
  readonly lastsMs: number
  /** Time until it is noticed, by the next response or frame that does not arrive. */
  readonly seenMs: number
  /** How long it is in the headline before it is announced. */
  readonly holdMs: number
}

export const EXPECTED: Readonly<Record<TroubleKind, Expected>> = {
  host: {
    word: /^unreachable$/,
    headline: /^Can’t reach the service since/,
    alert: /^Can’t reach the service$/,
    incident: /unreachable|^Can’t reach the service/i,
    stops: true,
    lastsMs: 100_000,
    seenMs: 15_000,
    holdMs: 60_000,
  },
  token: {
    word: /^rejected$/,
    headline: /^Token rejected \(401\)/,
    alert: /^Token rejected \(401\)$/,
    incident: /401/,
    stops: true,
    lastsMs: 70_000,
    seenMs: 45_000,
    holdMs: 10_000,
  },
  stream: {
    word: /^\d+ (?:silent|waiting)$/,
    headline: /^No stream is receiving data/,
    alert: /^No stream is receiving data$/,
    stops: false,
    lastsMs: 70_000,
    seenMs: 30_000,
    holdMs: 0,
  },
  disk: {
    word: /^history paused$/,
    headline: /^Disk full\./,
    alert: /^Disk full$/,
    stops: false,
    lastsMs: 70_000,
    seenMs: 40_000,
    holdMs: 0,
  },
  'sign-in': {
    word: /^unreachable$/,
    headline: /^Can’t reach the sign-in host\. The access token has expired/,
    alert: /^Can’t reach the sign-in host$/,
    incident: /unreachable|^Can’t reach the sign-in host/i,
    stops: true,
    lastsMs: 100_000,
    seenMs: 35_000,
    holdMs: 60_000,
  },
  both: {
    word: /^unreachable$/,
    headline: /^Can’t reach the service or the sign-in host/,
    alert: /^Can’t reach the service or the sign-in host$/,
    incident: /unreachable|^Can’t reach the service/i,
    stops: true,
    lastsMs: 100_000,
    seenMs: 15_000,
    holdMs: 60_000,
  },
}

/**
 * How much later than its time an alert may be shown. Alerts are evaluated once a second, and the test reads
 * the windows every ten seconds.
 */
export const ALERT_SLACK_MS = 15_000

/** Labels that may be shown while a fault develops or ends, such as those of streams that reopen. */
const ON_THE_WAY =
  /^(?:unreachable|rejected|renewal failing|history paused|\d+ (?:silent|waiting|restarting))$/

/** Whether a fault that lasts at `atMs`, or ended lately, explains this label. */
export const isOfTrouble = (word: string, troubles: readonly Trouble[], atMs: number): boolean =>
  ON_THE_WAY.test(word) && troubles.some((one) => isUnsettled(one, atMs))

/** Whether the fault may still be shown at `atMs`: it lasts, or it ended at most `backMs` before. */
export const isUnsettled = ({ fromMs, toMs }: Trouble, atMs: number, backMs = BACK_MS): boolean =>
  atMs >= fromMs && atMs <= (toMs ?? Number.POSITIVE_INFINITY) + backMs

/** Whether the fault has lasted for `forMs` at `atMs` and has not ended. */
export const hasLasted = ({ fromMs, toMs }: Trouble, forMs: number, atMs: number): boolean =>
  atMs >= fromMs + forMs && (toMs === undefined || atMs < toMs)

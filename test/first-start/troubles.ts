/** What is broken in turn, each once in eighteen minutes. */
export const TROUBLE_KINDS = ['host', 'token', 'stream', 'disk', 'sign-in', 'both'] as const
export type TroubleKind = (typeof TROUBLE_KINDS)[number]

/** One thing that was broken on purpose, epoch ms. */
export interface Trouble {
  readonly kind: TroubleKind
  readonly fromMs: number
  /** Absent while it lasts. */
  readonly toMs?: number
}

/** A trouble begins every three minutes. */
export const TROUBLE_EVERY_MS = 180_000
/**
 * How long after its end a fault may still be shown: retries are up to 60 s apart, and an alert waits to be
 * withdrawn.
 */
export const BACK_MS = 75_000

/** What is to be said of a trouble, and how soon after it began. */
interface Expected {
  /** The label, on every surface. */
  readonly word: RegExp
  readonly headline: RegExp
  /** Title of its alert. */
  readonly alert: RegExp
  /** Text of its open incident; absent of what is no line that lasts. */
  readonly incident?: RegExp
  /** Whether no call succeeds: then no row, slot or part of the key is known to be fine. */
  readonly stops: boolean
  /** How long it lasts: what is announced after a minute lasts longer. */
  readonly lastsMs: number
  /** It is noticed with the next answer or frame that fails to come. */
  readonly seenMs: number
  /** How long it is the headline before it is announced. */
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
 * How much later than its time an alert may be shown: the alerts are looked through once a second, a window
 * each ten.
 */
export const ALERT_SLACK_MS = 15_000

/** Labels that a trouble may have on its way, as of streams that reopen. */
const ON_THE_WAY =
  /^(?:unreachable|rejected|renewal failing|history paused|\d+ (?:silent|waiting|restarting))$/

/** Whether a trouble that lasts at `atMs`, or ended lately, may have this label. */
export const isOfTrouble = (word: string, troubles: readonly Trouble[], atMs: number): boolean =>
  ON_THE_WAY.test(word) && troubles.some((one) => isUnsettled(one, atMs))

/** From the start of a fault until it may no longer be shown. */
export const isUnsettled = ({ fromMs, toMs }: Trouble, atMs: number, backMs = BACK_MS): boolean =>
  atMs >= fromMs && atMs <= (toMs ?? Number.POSITIVE_INFINITY) + backMs

/** Whether it has lasted for so long at `atMs` and lasts. */
export const hasLasted = ({ fromMs, toMs }: Trouble, forMs: number, atMs: number): boolean =>
  atMs >= fromMs + forMs && (toMs === undefined || atMs < toMs)

/** Statistics of others' use of one quota, learned from headers and stored for a later run of the app. */
export interface LearnedQuota {
  /** Size and model of the learned quota. If either changes, learning starts again. */
  readonly limit: number
  readonly periodSeconds: number
  readonly model: 'rolling' | 'fixed'
  /** Time of the last header, epoch ms. */
  readonly atMs: number
  /** Whether a header ever proved use by others. */
  readonly isShared: boolean
  readonly emptyings: EmptyingCounts
  /** Calibration of the level's lower bound: see `LowerMargin`. */
  readonly margin: MarginCounts
  /** Probability of each utilization: see `Utilization`. */
  readonly utilization: readonly number[]
  /** Probability of each candidate for others' rate: see `OthersUse`. */
  readonly rates: readonly number[]
  /** For each rate, how often others' rate jumped to it: see `Spells.ends`. */
  readonly jumps: readonly number[]
  /** For each band of rates, how often others' rate had each holding time: see `Spells.holds`. */
  readonly spells: readonly number[]
  /** Present if headers showed that others are a single polling program: see `OthersPoller`. */
  readonly poller?: Poller
  /** When usual loads of others started on earlier days: see `LoadStarts`. Absent if no start is known. */
  readonly starts?: readonly LoadStart[]
}

/** The start of a load from others, epoch ms, and the load's rate in requests per second. */
export interface LoadStart {
  readonly atMs: number
  readonly perSecond: number
}

/** Another program that polls at equal intervals. */
export interface Poller {
  readonly everySeconds: number
  /** Number of requests in each poll. If `mayBeMore`, this is a lower bound. */
  readonly calls: number
  readonly mayBeMore: boolean
  /** Time of the first header that shows the poller, epoch ms. */
  readonly sinceMs: number
}

export interface EmptyingCounts {
  readonly came: number
  readonly predicted: number
}

export interface MarginCounts {
  readonly share: number
  readonly surprise: number
}

/** Learned statistics of one key's quotas, by category. */
export type LearnedQuotas = Readonly<Record<string, LearnedQuota>>

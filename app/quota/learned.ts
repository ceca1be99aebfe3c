/** The model of one quota as it can be stored: what headers taught of others, of use to a later run. */
export interface LearnedQuota {
  /** The quota it was learned from; another size or model must be learned again. */
  readonly limit: number
  readonly periodSeconds: number
  readonly model: 'rolling' | 'fixed'
  /** The last header, epoch ms. */
  readonly atMs: number
  /** Whether a header ever proved use by others. */
  readonly isShared: boolean
  /** Emptyings that came and that were predicted: see `EmptyingCalibration`. */
  readonly emptyings: EmptyingCounts
  /** Calibration of the lower end: see `LowerMargin`. */
  readonly margin: MarginCounts
  /** Probability of each utilization: see `Utilization`. */
  readonly utilization: readonly number[]
  /** Probability of each candidate for others' rate: see `OthersUse`. */
  readonly rates: readonly number[]
  /** Jumps by target rate, and spells by band and holding time: see `Spells`. */
  readonly jumps: readonly number[]
  readonly spells: readonly number[]
}

export interface EmptyingCounts {
  readonly came: number
  readonly predicted: number
}

export interface MarginCounts {
  readonly share: number
  readonly surprise: number
}

/** What a key has learned, by category. */
export type LearnedQuotas = Readonly<Record<string, LearnedQuota>>

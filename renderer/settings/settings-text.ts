import type { StorageSummary } from '../../app/contract/history.ts'
import type { CurrentKeySettings } from '../../app/contract/settings.ts'
import type { Snapshot } from '../../app/contract/snapshot.ts'
import {
  BUDGET_FRACTION,
  DAY_MS,
  EVERY_SECONDS,
  HOUR_MS,
  isWithin,
  type Range,
  ROTATION_MINUTES,
} from '../../app/contract/units.ts'
import { maxProbesPerMinute } from '../../app/quota/probe-plan.ts'
import { isSymbol } from '../../app/service/stream-paths.ts'
import { clockText } from '../../app/status/moments.ts'
import { countText, shareText } from '../../app/status/rates.ts'
import { typedNumber } from '../format/typed-number.ts'

/** The value of a typed text, or the error in the text. */
export type Typed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: string }

const typed = <T>(value: T): Typed<T> => ({ ok: true, value })
const wrong = (error: string) => ({ ok: false, error }) as const

const within = (range: Range, value: number, error: string): Typed<number> =>
  isWithin(range, value) ? typed(value) : wrong(error)

const decimal = (text: string): number => typedNumber(text) ?? Number.NaN

/** Parses a budget in per cent. Returns a share. */
export function budgetFrom(text: string): Typed<number> {
  const { least, most } = BUDGET_FRACTION
  return within(BUDGET_FRACTION, decimal(text) / 100, `Enter a number from ${least * 100} to ${most * 100}.`)
}

/** Parses a rotation period in minutes. */
export function rotationFrom(text: string): Typed<number> {
  const { least, most } = ROTATION_MINUTES
  return within(ROTATION_MINUTES, decimal(text), `Enter minutes, from ${least} to ${most}.`)
}

export function symbolFrom(text: string): Typed<string> {
  const symbol = text.trim()
  return isSymbol(symbol) ? typed(symbol) : wrong('Enter one symbol, such as MSFT.')
}

/** Parses an interval in seconds. An empty text selects the interval from the budget. */
export function secondsFrom(text: string): Typed<number | undefined> {
  if (text.trim() === '') return typed(undefined)
  const seconds = decimal(text)
  const { least, most } = EVERY_SECONDS
  return seconds === 0 ? typed(0) : within(EVERY_SECONDS, seconds, `Enter 0, or ${least} to ${most}.`)
}

/** Parses a threshold in per cent. Returns a share. An empty text selects the default. */
export function thresholdFrom(text: string): Typed<number | undefined> {
  if (text.trim() === '') return typed(undefined)
  return within({ least: 0, most: 1 }, decimal(text) / 100, 'Enter a number from 0 to 100.')
}

/** Formats a share in per cent, such as `2` for 0.02, with all digits that a person can enter. */
export const budgetText = (share: number): string => String(Math.round(share * 1e6) / 1e4)

export function storedText({ kept }: Pick<CurrentKeySettings, 'kept'>): string {
  return kept === 'stored'
    ? 'Settings are stored with this key.'
    : 'Settings are in memory until Headroom quits, like the key.'
}

/** The maximum checks per minute that budget and known limits allow, and the checks in the last minute. */
export function probeUseText(
  { at, requests, probes }: Pick<Snapshot, 'at' | 'requests' | 'probes'>,
  { settings, probed }: Pick<CurrentKeySettings, 'settings' | 'probed'>,
): string {
  if (!settings.probesEnabled) return 'Off. Only other requests and “Check now” update the rows.'
  const most = requests
    .filter(({ category }) => probed.includes(category))
    .reduce((sum, row) => sum + maxProbesPerMinute(row, settings), 0)
  const now = countText(probes.perMinute, 'check')
  return (
    `At most ${Math.round(most * 10) / 10} checks a minute on average, for all rows. At ${clockText(at)}: ` +
    `${now} in the last minute, ${shareText(probes.usedFraction)} of the tightest quota.`
  )
}

/** Formats a share in per cent, such as `20` for 0.2, to a tenth. The input has the same precision. */
export const percentOf = (share: number): string => String(Math.round(share * 1000) / 10)

export const RAW_CHOICES = [6 * HOUR_MS, DAY_MS, 2 * DAY_MS, 7 * DAY_MS, 14 * DAY_MS] as const
export const ROLLUP_CHOICES = [7 * DAY_MS, 30 * DAY_MS, 90 * DAY_MS, 365 * DAY_MS] as const

/**
 * The choices, and the present value `ms` if it is not among them. Such a value may come from an edited file.
 */
export const withChosen = (choices: readonly number[], ms: number): readonly number[] =>
  [...new Set([...choices, ms])].sort((a, b) => a - b)

export function storageText(storage: StorageSummary): string {
  switch (storage.kind) {
    case 'memory':
      return 'History is in memory only, until Headroom quits.'
    case 'ok':
      return `Saved: every sample for ${spanText(storage.rawMs)}, one-minute summaries and events for ${spanText(storage.rollupMs)}. Now ${sizeText(storage.bytes)} in use on this computer.`
    case 'failing': {
      const lost = storage.lost > 0 ? ` ${countText(storage.lost, 'entry was', 'entries were')} lost.` : ''
      return `Can’t save the history: ${storage.failure}. ${countText(storage.waiting, 'entry waits', 'entries wait')}.${lost}`
    }
  }
}

export const spanText = (ms: number) =>
  ms < 2 * DAY_MS ? countText(Math.round(ms / HOUR_MS), 'hour') : countText(Math.round(ms / DAY_MS), 'day')

const sizeText = (bytes: number) =>
  bytes < 1_048_576 ? `${Math.ceil(bytes / 1024)} kB` : `${(bytes / 1_048_576).toFixed(1)} MB`

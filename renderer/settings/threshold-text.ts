/** `20` for 0.2. A share to a tenth of a per cent: more was not typed. */
export const percentOf = (share: number): string => String(Math.round(share * 1000) / 10)

/** A typed text as a share; an empty one asks for the default. */
export function thresholdFrom(text: string): number | undefined | 'not-a-share' {
  const typed = text.trim()
  if (typed === '') return undefined
  const percent = Number(typed)
  return Number.isFinite(percent) && percent >= 0 && percent <= 100 ? percent / 100 : 'not-a-share'
}

/** `20` for 0.2. A share to a tenth of a per cent: more was not typed. */
export const percentOf = (share: number): string => String(Math.round(share * 1000) / 10)

/** What was typed, as a share; nothing typed asks for the default again. */
export function thresholdFrom(text: string): number | undefined | 'not-a-share' {
  const typed = text.trim()
  if (typed === '') return undefined
  const percent = Number(typed)
  return Number.isFinite(percent) && percent >= 0 && percent <= 100 ? percent / 100 : 'not-a-share'
}

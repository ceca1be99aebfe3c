/** `14 min 32 s`, `4 min ago`, `12 s` in milliseconds; `undefined` for other texts. */
export function durationMs(text: string): number | undefined {
  const units: Readonly<Record<string, number>> = { s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 }
  const parts = [...text.matchAll(/(\d+) (s|min|h|d)\b/g)]
  return parts.length === 0
    ? undefined
    : parts.reduce((sum, [, count, unit]) => sum + Number(count) * (units[unit ?? ''] ?? 0), 0)
}

/** The moment of `14:35:16` that is nearest to `nowMs`, in this machine’s zone. */
export function timeOfDayMs(text: string, nowMs: number): number | undefined {
  const [, hours, minutes, seconds] = /^(\d\d):(\d\d):(\d\d)$/.exec(text) ?? []
  if (hours === undefined) return undefined
  const at = new Date(nowMs)
  at.setHours(Number(hours), Number(minutes), Number(seconds), 0)
  const day = 86_400_000
  const apart = at.getTime() - nowMs
  return at.getTime() - (apart > day / 2 ? day : apart < -day / 2 ? -day : 0)
}

/** Requests per second that come back on a rolling interval: `limit / period` (service 8.3.2). */
export function replenishedPerSecond(limit: number, periodSeconds: number): number {
  return limit / periodSeconds
}

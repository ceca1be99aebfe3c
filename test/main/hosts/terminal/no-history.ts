import type { WatchHistory } from '../../../../main/hosts/terminal/watch-history.ts'

/** A history that records nothing. */
export const NO_HISTORY: WatchHistory = {
  alerts: { snooze: { untilMs: undefined, chosenAtMs: undefined }, adoptSnooze: () => {} },
  close: async () => {},
}

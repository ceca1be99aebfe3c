import type { WatchDeps } from '../../../../main/hosts/terminal/watch-command.ts'

const not = (what: string) => () => {
  throw new Error(`no ${what} in these tests`)
}

/** Nothing but the monitor: a history that records nothing, and no vault, gateway, desk or metrics. */
export const NO_WATCH_DEPS: Omit<WatchDeps, 'terminal' | 'clock' | 'createMonitor'> = {
  mayHoldKeys: () => false,
  openVault: async () => ({ kind: 'failed', line: 'no vault in these tests', needsPerson: false }),
  createGateway: not('gateway'),
  createDesks: not('desks'),
  recordHistory: () => ({
    alerts: { snooze: { untilMs: undefined, chosenAtMs: undefined }, adoptSnooze: () => {} },
    close: async () => {},
  }),
  serveMetrics: async () => ({ kind: 'failed', line: 'no metrics here' }),
  pushMetrics: not('store'),
  showTimesOf: () => {},
  startBuiltIn: not('simulator'),
}

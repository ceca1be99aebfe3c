/**
 * Which tests run: `npm test` runs the quick ones, `npm run test:thorough` the others, `.ci/run` and `npm run
 * promises` both. Without a choice, for example if one file is run by hand, all tests run.
 */
export type Part = 'quick' | 'thorough' | 'all'

const PARTS: readonly Part[] = ['quick', 'thorough', 'all']
const VARIABLE = 'HEADROOM_TESTS'

/** Tests that take too long to run after each change: whole days, hundreds of kills, fuzzing, waits. */
export const THOROUGH_FILES: readonly string[] = [
  'app/desk/queue-day.test.ts',
  'app/gateway/scheduler-laws.test.ts',
  'app/quota/bucket-accuracy.test.ts',
  'app/quota/bucket-bounds.test.ts',
  'app/streams/shared-laws.test.ts',
  'bench/gateway-start.process.test.ts',
  'bench/run.process.test.ts',
  'bench/truth/live-key.process.test.ts',
  'bench/truth/live-states.process.test.ts',
  'bench/truth/days.test.ts',
  'bench/truth/truth-small.test.ts',
  'desktop/desktop-life.test.ts',
  'desktop/packaged-app.test.ts',
  'desktop/packaging.test.ts',
  'desktop/quit.test.ts',
  'desktop/standing-still.test.ts',
  'main/control/protocol-fuzz.test.ts',
  'main/gateway/sleep.process.test.ts',
  'main/gateway/two-clients.process.test.ts',
  'main/history/kill.process.test.ts',
  'main/history/rows-fuzz.test.ts',
  'main/hosts/browser/requests-fuzz.test.ts',
  'main/hosts/desktop/ipc-fuzz.test.ts',
  'main/hosts/terminal/flapping-clock.process.test.ts',
  'main/metrics/otlp.process.test.ts',
  'main/desk/desk-queue.process.test.ts',
  'main/stored-files-fuzz.test.ts',
  'main/tokens/crash.process.test.ts',
  'main/vault/crash.process.test.ts',
  'main/vault/rows-fuzz.test.ts',
  'packaging/linux-package.test.ts',
  'packaging/npm-package.process.test.ts',
  'simulation/ages.test.ts',
  'simulation/bounds.test.ts',
  'simulation/clock-set.test.ts',
  'simulation/regressions.test.ts',
  'simulation/seeds.test.ts',
  'storm/storm.process.test.ts',
  'structure/costs.process.test.ts',
]

/**
 * Laws for which `npm test` tries a tenth of the cases, or fewer lives. The thorough part runs these files
 * again with all of them.
 */
export const LAW_FILES: readonly string[] = [
  'app/contract/contract.test.ts',
  'app/desk/queue-lives.test.ts',
  'app/plan/verdict-laws.test.ts',
  'app/quota/bucket-doubt.test.ts',
  'app/quota/bucket-elsewhere.test.ts',
  'app/quota/bucket.test.ts',
  'app/quota/forecast.test.ts',
  'app/quota/ledger.test.ts',
  'app/quota/probe-plan.test.ts',
  'app/quota/view.test.ts',
  'app/service/headers.test.ts',
  'app/service/stream-paths.test.ts',
  'app/streams/frame-reader.test.ts',
  'app/streams/framer.test.ts',
  'app/streams/frames.test.ts',
  'app/streams/slots.test.ts',
  'app/tokens/id-token.test.ts',
  'app/tokens/refresh-grant.test.ts',
  'main/desk/desk-lives.test.ts',
  'main/network/request-gate.test.ts',
  'main/orders/order-lives.test.ts',
  'simulation/gateway-lives.test.ts',
]

/** Number of cases of a law that this run tries, of `all` cases. */
export const lawRuns = (all: number): number => (part() === 'quick' ? Math.ceil(all / 10) : all)

/** The tag of a browser test that belongs to the thorough part. */
export const THOROUGH_TAG = '@thorough'

/** End of the title of a test that a loop makes for each size, theme or state. */
export const quickIf = (isQuick: boolean): string => (isQuick ? '' : ` ${THOROUGH_TAG}`)

/**
 * The tag of a test that takes long on each host. It runs in the quick part in the browser, and in the
 * thorough part on Electron.
 */
export const LONG_TAG = '@long'

export const part = (): Part => {
  const chosen = process.env[VARIABLE]
  return PARTS.find((name) => name === chosen) ?? 'all'
}

export const choosing = (chosen: Part): Readonly<Record<string, string>> => ({ [VARIABLE]: chosen })

export const isPart = (name: string): name is Part => PARTS.some((known) => known === name)

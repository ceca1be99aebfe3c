/**
 * Which tests run: `npm test` runs the quick ones, `npm run test:thorough` the others, `.ci/run` and `npm run promises`
 * both. Without a choice, as where one file is run by hand, all of them do.
 */
export type Part = 'quick' | 'thorough' | 'all'

const PARTS: readonly Part[] = ['quick', 'thorough', 'all']
const VARIABLE = 'HEADROOM_TESTS'

/** Unit and integration tests that take long for what a change usually touches: whole days, kills by the hundred, fuzzing, waits. */
export const THOROUGH_FILES: readonly string[] = [
  'app/gateway/scheduler-laws.test.ts',
  'app/quota/bucket-accuracy.test.ts',
  'app/quota/bucket-bounds.test.ts',
  'app/streams/shared-laws.test.ts',
  'bench/truth/live-key.process.test.ts',
  'desktop/desktop-life.test.ts',
  'desktop/packaged-app.test.ts',
  'desktop/quit.test.ts',
  'main/control/protocol-fuzz.test.ts',
  'main/history/kill.process.test.ts',
  'main/history/rows-fuzz.test.ts',
  'main/hosts/browser/requests-fuzz.test.ts',
  'main/hosts/desktop/ipc-fuzz.test.ts',
  'main/stored-files-fuzz.test.ts',
  'main/tokens/crash.process.test.ts',
  'main/vault/crash.process.test.ts',
  'main/vault/rows-fuzz.test.ts',
  'packaging/npm-package.process.test.ts',
  'simulation/ages.test.ts',
  'simulation/bounds.test.ts',
  'simulation/regressions.test.ts',
  'simulation/seeds.test.ts',
  'simulation/ten-thousand-gateway-lives.test.ts',
]

/** A browser test that says so is one of them. */
export const THOROUGH_TAG = '@thorough'

/** Takes long on each host: quick in the browser, thorough on Electron. */
export const LONG_TAG = '@long'

export const part = (): Part => {
  const chosen = process.env[VARIABLE]
  return PARTS.find((name) => name === chosen) ?? 'all'
}

export const choosing = (chosen: Part): Readonly<Record<string, string>> => ({ [VARIABLE]: chosen })

export const isPart = (name: string): name is Part => PARTS.some((known) => known === name)

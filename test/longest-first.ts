import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take more than five seconds, longest first, as measured on two cores. */
export const LONGEST: readonly string[] = [
  'simulation/regressions.test.ts',
  'simulation/seeds.test.ts',
  'desktop/desktop-life.test.ts',
  'bench/truth/live-key.process.test.ts',
  'simulation/ages.test.ts',
  'simulation/bounds.test.ts',
  'app/quota/forecast.test.ts',
  'main/vault/crash.process.test.ts',
  'desktop/packaged-app.test.ts',
  'desktop/desktop-quit.test.ts',
  'app/quota/bucket-bounds.test.ts',
  'simulation/newer-sign-in.test.ts',
  'app/quota/probe-plan.test.ts',
  'desktop/quit.test.ts',
  'main/hosts/terminal/headroom.process.test.ts',
  'simulation/stories.test.ts',
  'main/streams/sockets.test.ts',
  'app/quota/bucket.test.ts',
  'app/contract/contract.test.ts',
  'main/hosts/terminal/watch-vault.process.test.ts',
  'packaging/npm-package.process.test.ts',
  'app/quota/bucket-accuracy.test.ts',
  'main/ports/network-way.process.test.ts',
  'main/history/kill.process.test.ts',
  'simulation/clock-set.test.ts',
  'main/hosts/desktop/ipc-fuzz.test.ts',
  'app/quota/ledger.test.ts',
  'desktop/desktop-host.test.ts',
  'main/vault/rows-fuzz.test.ts',
  'main/hosts/terminal/running-app.process.test.ts',
  'canary/full-run.process.test.ts',
  'bench/truth/truth-small.test.ts',
  'app/quota/bucket-elsewhere.test.ts',
  'app/quota/view.test.ts',
  'main/tokens/crash.process.test.ts',
  'app/streams/frame-reader.test.ts',
  'main/stored-files-fuzz.test.ts',
  'packaging/linux-package.test.ts',
  'desktop/real-window.test.ts',
  'main/sign-in/corrected-secrets.test.ts',
  'main/storage/other-users.process.test.ts',
  'main/several-keys.test.ts',
  'main/history/rows-fuzz.test.ts',
  'main/control/protocol-fuzz.test.ts',
  'app/tokens/refresh-grant.test.ts',
  'bench/run.process.test.ts',
  'main/launch.test.ts',
  'main/streams/churn.test.ts',
]

const tests = fileURLToPath(new URL('.', import.meta.url))

/**
 * Starts the longest files first, so that all workers end at about the same time; the rest follows as vitest sorts it.
 *
 * Files that share a worker come after those that have one each: a worker is kept for as long as the next file shares it.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.sort((a, b) => sharing(a) - sharing(b) || rank(a) - rank(b))
  }
}

const sharing = ({ project }: TestSpecification): number => (project.config.isolate ? 0 : 1)

function rank({ moduleId }: TestSpecification): number {
  const index = LONGEST.indexOf(relative(tests, moduleId).replaceAll('\\', '/'))
  return index === -1 ? LONGEST.length : index
}

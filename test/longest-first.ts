import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take three seconds or more, in whole seconds as measured on two cores. */
export const SECONDS: Readonly<Record<string, number>> = {
  'main/desk/desk-queue.process.test.ts': 600,
  'bench/truth/live-key.process.test.ts': 77,
  'desktop/desktop-life.test.ts': 76,
  'simulation/seeds.test.ts': 75,
  'storm/storm.process.test.ts': 68,
  'main/vault/crash.process.test.ts': 43,
  'simulation/ten-thousand-gateway-lives.test.ts': 43,
  'simulation/ages.test.ts': 41,
  'app/gateway/scheduler-laws.test.ts': 40,
  'app/quota/bucket-bounds.test.ts': 37,
  'simulation/bounds.test.ts': 36,
  'desktop/packaged-app.test.ts': 35,
  'desktop/quit.test.ts': 22,
  'main/desk/nats-lease.process.test.ts': 21,
  'main/gateway/two-clients.process.test.ts': 19,
  'packaging/npm-package.process.test.ts': 19,
  'simulation/regressions.test.ts': 18,
  'main/tokens/crash.process.test.ts': 18,
  'main/hosts/terminal/headroom.process.test.ts': 18,
  'main/vault/rows-fuzz.test.ts': 18,
  'main/hosts/desktop/ipc-fuzz.test.ts': 16,
  'main/desk/nats-engine.process.test.ts': 16,
  'main/hosts/terminal/watch-vault.process.test.ts': 15,
  'main/hosts/terminal/gateway.process.test.ts': 15,
  'main/history/kill.process.test.ts': 14,
  'main/stored-files-fuzz.test.ts': 12,
  'main/hosts/terminal/running-app.process.test.ts': 12,
  'app/quota/view.test.ts': 11,
  'canary/full-run.process.test.ts': 10,
  'desktop/standing-still.test.ts': 10,
  'app/quota/bucket-accuracy.test.ts': 10,
  'main/ports/network-way.process.test.ts': 9,
  'app/quota/bucket.test.ts': 9,
  'app/quota/ledger.test.ts': 9,
  'main/metrics/otlp.process.test.ts': 9,
  'app/quota/bucket-elsewhere.test.ts': 8,
  'simulation/clock-set.test.ts': 8,
  'main/hosts/browser/requests-fuzz.test.ts': 7,
  'app/quota/probe-plan.test.ts': 7,
  'main/history/rows-fuzz.test.ts': 7,
  'app/quota/forecast.test.ts': 7,
  'app/streams/frame-reader.test.ts': 6,
  'prometheus/prometheus.process.test.ts': 6,
  'simulation/stories.test.ts': 6,
  'app/contract/contract.test.ts': 6,
  'main/desk/link-lives.test.ts': 6,
  'main/launch.test.ts': 5,
  'main/hosts/terminal/flapping-clock.process.test.ts': 5,
  'app/streams/shared-laws.test.ts': 5,
  'main/hosts/terminal/watch-vault.test.ts': 5,
  'main/gateway/faults.test.ts': 5,
  'desktop/real-window.test.ts': 5,
  'app/streams/frames.test.ts': 5,
  'main/gateway/sleep.process.test.ts': 5,
  'main/storage/other-users.process.test.ts': 5,
  'main/several-keys.test.ts': 5,
  'main/gateway/gateway.test.ts': 4,
  'packaging/linux-package.test.ts': 4,
  'main/hosts/terminal/stored-keys.test.ts': 4,
  'main/gateway/shared-streams.test.ts': 4,
  'app/tokens/refresh-grant.test.ts': 4,
  'bench/gateway-start.process.test.ts': 4,
  'main/stored-keys.test.ts': 4,
  'desktop/packaging.test.ts': 3,
  'app/plan/verdict-laws.test.ts': 3,
  'main/control/protocol-fuzz.test.ts': 3,
  'simulation/newer-sign-in.test.ts': 3,
  'main/history/history-store.test.ts': 3,
}

/** The median time of any other file. */
const OTHER_SECONDS = 0.4

const tests = fileURLToPath(new URL('.', import.meta.url))

/** `path` is relative to this folder, with the separators of this system. */
export function expectedSeconds(path: string): number {
  return SECONDS[path.replaceAll('\\', '/')] ?? OTHER_SECONDS
}

/**
 * Starts the longest test files first, so that all workers end at about the same time.
 *
 * Files that share a worker come last, because such a worker is only reused if the next file also shares it.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.sort((a, b) => sharing(a) - sharing(b) || secondsOf(b) - secondsOf(a))
  }
}

const sharing = ({ project }: TestSpecification): number => (project.config.isolate ? 0 : 1)
const secondsOf = ({ moduleId }: TestSpecification): number => expectedSeconds(relative(tests, moduleId))

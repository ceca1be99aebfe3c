import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take more than two seconds, in whole seconds as measured on two cores. */
export const SECONDS: Readonly<Record<string, number>> = {
  'desktop/real-window.test.ts': 33,
  'main/hosts/terminal/gateway.process.test.ts': 30,
  'main/gateway/two-clients.process.test.ts': 29,
  'main/streams/sockets.test.ts': 21,
  'main/sign-in/third-party.test.ts': 15,
  'main/gateway/sleep.process.test.ts': 15,
  'desktop/desktop-quit.test.ts': 14,
  'main/gateway/gateway.test.ts': 13,
  'main/gateway/faults.test.ts': 13,
  'main/hosts/terminal/headroom.process.test.ts': 12,
  'main/gateway/shared-streams.test.ts': 11,
  'desktop/standing-still.test.ts': 11,
  'simulation/regressions.test.ts': 11,
  'main/hosts/terminal/running-app.process.test.ts': 9,
  'main/hosts/terminal/watch-vault.process.test.ts': 9,
  'canary/full-run.process.test.ts': 8,
  'main/metrics/otlp.process.test.ts': 8,
  'app/quota/view.test.ts': 7,
  'app/quota/ledger.test.ts': 6,
  'prometheus/prometheus.process.test.ts': 6,
  'app/quota/bucket.test.ts': 6,
  'simulation/clock-set.test.ts': 6,
  'main/ports/network-way.process.test.ts': 6,
  'app/quota/bucket-elsewhere.test.ts': 6,
  'desktop/desktop-host.test.ts': 5,
  'app/quota/probe-plan.test.ts': 5,
  'app/quota/forecast.test.ts': 4,
  'main/hosts/terminal/flapping-clock.process.test.ts': 4,
  'simulation/stories.test.ts': 4,
  'main/launch.test.ts': 4,
  'app/contract/contract.test.ts': 4,
  'app/streams/frame-reader.test.ts': 4,
  'main/hosts/terminal/watch-vault.test.ts': 3,
  'packaging/linux-package.test.ts': 3,
  'app/tokens/refresh-grant.test.ts': 3,
  'bench/gateway-start.process.test.ts': 3,
  'desktop/packaging.test.ts': 3,
  'main/hosts/terminal/stored-keys.test.ts': 3,
  'main/several-keys.test.ts': 3,
  'main/history/history-store.test.ts': 2,
  'main/stored-keys.test.ts': 2,
  'app/service/headers.test.ts': 2,
  'main/control/protocol.test.ts': 2,
}

/** What any other file takes in the middle. */
const OTHER_SECONDS = 0.4

const tests = fileURLToPath(new URL('.', import.meta.url))

/** `path` is relative to this folder, with the separators of this system. */
export function expectedSeconds(path: string): number {
  return SECONDS[path.replaceAll('\\', '/')] ?? OTHER_SECONDS
}

/**
 * Starts the longest files first, so that all workers end at about the same time; the rest follows as vitest sorts it.
 *
 * Files that share a worker come after those that have one each: a worker is kept for as long as the next file shares it.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.sort((a, b) => sharing(a) - sharing(b) || secondsOf(b) - secondsOf(a))
  }
}

const sharing = ({ project }: TestSpecification): number => (project.config.isolate ? 0 : 1)
const secondsOf = ({ moduleId }: TestSpecification): number => expectedSeconds(relative(tests, moduleId))

import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take five seconds or more, in whole seconds as measured on two cores. */
export const SECONDS: Readonly<Record<string, number>> = {
  'main/desk/desk-queue.process.test.ts': 600,
  'main/desk/desk-lives.test.ts': 300,
  'app/desk/queue-lives.test.ts': 180,
  'main/desk/desk-processes.process.test.ts': 99,
  'bench/truth/live-key.process.test.ts': 77,
  'desktop/desktop-life.test.ts': 76,
  'simulation/seeds.test.ts': 75,
  'storm/storm.process.test.ts': 68,
  'main/orders/order-lives.test.ts': 60,
  'main/vault/crash.process.test.ts': 43,
  'simulation/gateway-lives.test.ts': 43,
  'simulation/ages.test.ts': 41,
  'app/gateway/scheduler-laws.test.ts': 40,
  'app/quota/bucket-bounds.test.ts': 37,
  'simulation/bounds.test.ts': 36,
  'desktop/packaged-app.test.ts': 35,
  'bench/truth/days.test.ts': 27,
  'desktop/quit.test.ts': 22,
  'main/desk/nats-lease.process.test.ts': 22,
  'main/gateway/two-clients.process.test.ts': 19,
  'packaging/npm-package.process.test.ts': 19,
  'main/desk/nats-engine.process.test.ts': 18,
  'main/hosts/terminal/desk.process.test.ts': 18,
  'main/tokens/crash.process.test.ts': 18,
  'main/vault/rows-fuzz.test.ts': 18,
  'simulation/regressions.test.ts': 18,
  'main/hosts/desktop/ipc-fuzz.test.ts': 16,
  'main/history/kill.process.test.ts': 14,
  'main/orders/order-rules.test.ts': 12,
  'main/stored-files-fuzz.test.ts': 12,
  'app/quota/bucket-elsewhere.test.ts': 11,
  'app/quota/view.test.ts': 11,
  'app/quota/bucket-accuracy.test.ts': 10,
  'app/quota/others-poller.test.ts': 10,
  'desktop/standing-still.test.ts': 10,
  'main/hosts/terminal/gateway.process.test.ts': 10,
  'main/hosts/terminal/headroom.process.test.ts': 10,
  'app/quota/bucket.test.ts': 9,
  'app/quota/ledger.test.ts': 9,
  'main/hosts/terminal/watch-vault.process.test.ts': 9,
  'main/metrics/otlp.process.test.ts': 9,
  'main/gateway/gateway.test.ts': 8,
  'main/hosts/terminal/orders.process.test.ts': 8,
  'main/hosts/terminal/running-app.process.test.ts': 8,
  'main/network/http-client.test.ts': 8,
  'simulation/clock-set.test.ts': 8,
  'app/quota/forecast.test.ts': 7,
  'app/quota/probe-plan.test.ts': 7,
  'main/gateway/door.test.ts': 7,
  'main/history/rows-fuzz.test.ts': 7,
  'main/hosts/browser/requests-fuzz.test.ts': 7,
  'main/orders/order-faults.test.ts': 7,
  'main/storage/other-users.process.test.ts': 7,
  'app/contract/contract.test.ts': 6,
  'app/streams/frame-reader.test.ts': 6,
  'canary/full-run.process.test.ts': 6,
  'app/streams/frames.test.ts': 5,
  'app/streams/shared-laws.test.ts': 5,
  'app/streams/shared-state.test.ts': 5,
  'desktop/real-window.test.ts': 5,
  'main/desk/desk-session.test.ts': 5,
  'main/gateway/sleep.process.test.ts': 5,
  'main/hosts/terminal/flapping-clock.process.test.ts': 5,
  'main/orders/kill.process.test.ts': 5,
  'main/ports/network-way.process.test.ts': 5,
  'prometheus/prometheus.process.test.ts': 5,
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

/** A bench: a script that prints one result with `--json`. */
export interface Bench {
  readonly title: string
  /** Path relative to `test/`. */
  readonly script: string
  readonly args: readonly string[]
  /** Replaces `args` in a long run, which may take an hour or two. */
  readonly longArgs: readonly string[]
}

/** The value of each flag of a bench in a usual run, and in a long run. */
type Sizes = Readonly<Record<string, readonly [usual: number | string, long?: number | string]>>

function bench(title: string, script: string, sizes: Sizes): Bench {
  const flags = Object.entries(sizes)
  return {
    title,
    script,
    args: flags.flatMap(([flag, [usual]]) => [`--${flag}`, String(usual)]),
    longArgs: flags.flatMap(([flag, [usual, long = usual]]) => [`--${flag}`, String(long)]),
  }
}

export const BENCHES = {
  framing: bench('Cutting streams into frames', 'bench/streams-framing.ts', {
    megabytes: [50, 200],
    rounds: [5, 9],
  }),
  accuracy: bench('The number between two headers', 'bench/accuracy.ts', {
    traffic: ['own'],
    seeds: [20, 100],
  }),
  accuracyShared: bench('The number between two headers, with others on the key', 'bench/accuracy.ts', {
    traffic: ['shared'],
    seeds: [20, 100],
  }),
  headerToPixel: bench('From header to pixel', 'bench/header-to-pixel.ts', { headers: [40, 150] }),
  renderer: bench('What the window costs', 'renderer/harness/measure.ts', {
    seconds: [30, 600],
    runs: [1, 3],
  }),
  pages: bench('Switching between pages', 'renderer/harness/measure-pages.ts', {
    rounds: [20, 60],
    runs: [5, 15],
  }),
  start: bench('From start to the first live row', 'bench/start.ts', { runs: [5, 15] }),
  memoryVirtual: bench('Memory over a virtual day', 'bench/memory-virtual.ts', { hours: [24] }),
  memoryReal: bench('Memory of a real run', 'bench/memory-real.ts', { minutes: [2, 10] }),
  desktopStart: bench('From start to the first live row, on the desktop', 'bench/desktop-start.ts', {
    runs: [5, 15],
  }),
  desktopPixel: bench('From header to pixel, on the desktop', 'bench/header-to-pixel.ts', {
    host: ['electron'],
    headers: [40, 150],
  }),
  desktopMemory: bench('Memory of the desktop app', 'bench/desktop-cost.ts', {
    of: ['memory'],
    minutes: [2, 10],
  }),
  desktopShown: bench('The desktop app with its window', 'bench/desktop-cost.ts', {
    of: ['shown'],
    minutes: [2, 10],
  }),
  desktopIdle: bench('The desktop app without a window', 'bench/desktop-cost.ts', {
    of: ['idle'],
    minutes: [2, 10],
  }),
  desktopTasks: bench('The longest task of the desktop app', 'bench/desktop-tasks.ts', {
    runs: [3, 10],
    seconds: [10],
  }),
  gateway: bench('What the gateway adds to a request', 'bench/gateway-cost.ts', {
    pairs: [1_500, 6_000],
    requests: [20_000, 60_000],
  }),
  orders: bench('What the gateway adds to an order', 'bench/orders.ts', { orders: [400, 2_000] }),
  deskGrants: bench('A turn from a desk’s dispatcher', 'bench/desk-grants.ts', { grants: [2_000, 10_000] }),
  deskDay: bench('A trading day of five machines', 'bench/desk-day.ts', {}),
  deskTakeOver: bench('When a desk’s dispatcher is killed', 'bench/desk-take-over.ts', { kills: [3, 20] }),
  gatewayStart: bench('From a kill of the gateway to its next response', 'bench/gateway-start.ts', {
    rounds: [12, 40],
  }),
  desk: bench('A desk of three machines', 'bench/desk.ts', {
    headers: [200, 1_000],
    rounds: [4, 8],
    seconds: [30, 60],
  }),
  turns: bench('Turns: requests declined at once that would wait in vain', 'bench/gateway-turns.ts', {
    lives: [30, 120],
  }),
  limiters: bench('Five programs on one key, by the gateway and by limiters', 'bench/gateway-limiters.ts', {
    hours: [6.5],
  }),
  sharing: bench('One stream, two hundred readers', 'bench/stream-sharing.ts', { seconds: [15, 60] }),
  streams: bench('Sixty streams at full rate', 'bench/streams-load.ts', { seconds: [15, 120] }),
  fold: bench('Folding a header into the model', 'bench/quota.ts', { observations: [500_000, 2_000_000] }),
  history: bench('Reading a week of history', 'bench/history.ts', { days: [7, 30] }),
  planChange: bench('From a change of a plan to its verdict', 'bench/plan.ts', {
    of: ['change'],
    changes: [200, 600],
  }),
  planDay: bench('A day of a plan, replayed', 'bench/plan.ts', { of: ['day'], days: [5, 15] }),
  simulator: bench('The simulator', 'bench/simulator.ts', {
    requests: [200_000, 1_000_000],
    'stream-seconds': [10, 60],
  }),
} satisfies Readonly<Record<string, Bench>>

export type BenchName = keyof typeof BENCHES

export const BENCH_NAMES = Object.keys(BENCHES) as readonly BenchName[]

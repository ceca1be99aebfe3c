/** A bench is a script of its own, which with `--json` prints one result. */
export interface Bench {
  readonly title: string
  /** Below `test/`. */
  readonly script: string
  readonly args: readonly string[]
  /** Instead of `args` where there is an hour or two. */
  readonly longArgs?: readonly string[]
}

export const BENCHES = {
  framing: {
    title: 'Cutting streams into frames',
    script: 'bench/streams-framing.ts',
    args: ['--megabytes', '50', '--rounds', '5'],
    longArgs: ['--megabytes', '200', '--rounds', '9'],
  },
  accuracy: {
    title: 'The number between two headers',
    script: 'bench/accuracy.ts',
    args: ['--traffic', 'own', '--seeds', '20'],
    longArgs: ['--traffic', 'own', '--seeds', '100'],
  },
  accuracyShared: {
    title: 'The number between two headers, with others on the key',
    script: 'bench/accuracy.ts',
    args: ['--traffic', 'shared', '--seeds', '20'],
    longArgs: ['--traffic', 'shared', '--seeds', '100'],
  },
  headerToPixel: {
    title: 'From header to pixel',
    script: 'bench/header-to-pixel.ts',
    args: ['--headers', '40'],
    longArgs: ['--headers', '150'],
  },
  renderer: {
    title: 'What the window costs',
    script: 'renderer/harness/measure.ts',
    args: ['--seconds', '30', '--runs', '1'],
    longArgs: ['--seconds', '600', '--runs', '3'],
  },
  start: {
    title: 'From start to the first live row',
    script: 'bench/start.ts',
    args: ['--runs', '5'],
    longArgs: ['--runs', '15'],
  },
  memoryVirtual: {
    title: 'Memory over a virtual day',
    script: 'bench/memory-virtual.ts',
    args: ['--hours', '24'],
  },
  memoryReal: {
    title: 'Memory of a real run',
    script: 'bench/memory-real.ts',
    args: ['--minutes', '2'],
    longArgs: ['--minutes', '10'],
  },
  streams: {
    title: 'Sixty streams at full rate',
    script: 'bench/streams-load.ts',
    args: ['--seconds', '15'],
    longArgs: ['--seconds', '120'],
  },
  fold: {
    title: 'Folding a header into the model',
    script: 'bench/quota.ts',
    args: ['--observations', '500000'],
    longArgs: ['--observations', '2000000'],
  },
  history: {
    title: 'Reading a week of history',
    script: 'bench/history.ts',
    args: ['--days', '7'],
    longArgs: ['--days', '30'],
  },
  simulator: {
    title: 'The simulator',
    script: 'bench/simulator.ts',
    args: ['--requests', '200000', '--stream-seconds', '10'],
    longArgs: ['--requests', '1000000', '--stream-seconds', '60'],
  },
} as const satisfies Readonly<Record<string, Bench>>

export type BenchName = keyof typeof BENCHES

export const BENCH_NAMES = Object.keys(BENCHES) as readonly BenchName[]

import type { Workshop } from '../sabotage/workshop.ts'

/** A new entry of a table, as a contributor would write it at first. */
export interface Trial {
  readonly name: string
  readonly file: string
  /** A text that occurs once in the file. `entry` is inserted before it. */
  readonly before: string
  readonly entry: string
}

export const TRIALS: readonly Trial[] = [
  {
    name: 'a command',
    file: 'app/contract/quotas.ts',
    before: '  rowDetails: ',
    entry: '  trial: command(ofRow).returning<Outcome>(),\n',
  },
  {
    name: 'a push',
    file: 'app/contract/snapshot.ts',
    before: '  profileRemoved: push',
    entry: '  trial: push<number>(),\n',
  },
  {
    name: 'an alert',
    file: 'app/conditions/kinds.ts',
    before: "    detect: ({ orders }) => (orders?.state === 'stopped'",
    entry: '    alert: after(10_000),\n',
  },
  {
    name: 'a finding',
    file: 'app/conditions/kinds.ts',
    before: "  'keys-damaged': { ...stops(",
    entry: "  trial: { ...leaves('data'), detect: () => [{ severity: 'warning' as const }] },\n",
  },
  {
    name: 'an event that lasts',
    file: 'app/contract/events.ts',
    before: "  event('program-cut'",
    entry:
      "  event('trial', { category: text }),\n  event('trial-over', { category: text, since: number }),\n",
  },
  {
    name: 'a kind of stream in a category of its own',
    file: 'app/service/stream-kinds.ts',
    before: '  positions: {\n',
    entry: `  trial: {
    category: 'Trial Stream', name: 'Trial', target: 'symbol', snapshot: false,
    path: '/v3/marketdata/stream/trial/{target}', frames: 'quote',
  },
`,
  },
  {
    name: 'a category of requests',
    file: 'app/service/categories.ts',
    before: "  {\n    name: 'Order Details',",
    entry:
      "  { name: 'Trial', requests: perMinute(1), path: /^\\/v3\\/trial$/, probe: () => '/v3/trial' },\n",
  },
]

/**
 * The product files that a new entry requires to be changed: the file of the entry, and the files in which
 * the compiler then reports errors.
 */
export async function filesOf(trial: Trial, workshop: Workshop): Promise<readonly string[]> {
  const text = workshop.read(trial.file)
  const parts = text.split(trial.before)
  if (parts.length !== 2) throw new Error(`${trial.file} has “${trial.before}” ${parts.length - 1} times`)
  workshop.write(trial.file, parts.join(`${trial.entry}${trial.before}`))
  try {
    const complaining = [...(await workshop.complaints())].map((line) => line.split('(', 1)[0] ?? '')
    const product = complaining.filter((file) => /^(?:app|main|renderer)\//.test(file))
    return [...new Set([trial.file, ...product])].sort()
  } finally {
    workshop.write(trial.file, text)
  }
}

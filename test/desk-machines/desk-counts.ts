import type { Snapshot } from '../../app/contract/snapshot.ts'
import type { DeskMachine } from './desk-machine.ts'
import type { Counts, SharedKey } from './shared-key.ts'

/** Use by category, as a machine shows it. */
interface Shown {
  readonly own: Counts
  readonly desk: Counts
  readonly elsewhere: Counts
}

/** The state at which the comparison of a machine began. */
interface Baseline {
  readonly shown: Shown
  /** The service's counts for each machine. */
  readonly counted: ReadonlyMap<string, Counts>
}

/** A count that a machine shows, and the service's. */
export interface ComparedCount {
  readonly machine: string
  /**
   * - `own`: requests of the machine since its start, in a row.
   * - `desk`: requests of all other machines since `begin`, in a row.
   * - `total`: all requests of a machine since that machine's start.
   */
  readonly what: 'own' | 'desk' | 'total'
  /** The row; of a total, the machine. */
  readonly of: string
  readonly shown: number
  readonly counted: number
}

/** Compares the use that each machine of a desk shows with the counts of the service. */
export class DeskCounts {
  readonly #key: SharedKey
  readonly #machines: readonly DeskMachine[]
  readonly #baselines = new Map<DeskMachine, Baseline>()

  constructor(key: SharedKey, machines: readonly DeskMachine[]) {
    this.#key = key
    this.#machines = machines
  }

  /** Compares what the machines show about each other from now on. No request may be in flight. */
  async begin(): Promise<void> {
    for (const machine of this.#running) {
      const counted = new Map(this.#machines.map(({ name }) => [name, this.#key.allOf(name)]))
      this.#baselines.set(machine, { shown: shownBy(await machine.snapshot()), counted })
    }
  }

  /**
   * To be called after a restart of a machine. Its counts of the other machines are no longer compared.
   */
  forget(machine: DeskMachine): void {
    this.#baselines.delete(machine)
  }

  /** A line for each differing number of the running machines. */
  async differences(): Promise<readonly string[]> {
    const compared = await this.compared()
    return compared.filter(({ shown, counted }) => shown !== counted).map(lineOf)
  }

  /** All numbers of the running machines. */
  async compared(): Promise<readonly ComparedCount[]> {
    const compared: ComparedCount[] = []
    for (const machine of this.#running) {
      const snapshot = await machine.snapshot()
      const shown = shownBy(snapshot)
      const own = this.#key.countsOf(machine.name)
      const add = (one: Omit<ComparedCount, 'machine'>) => compared.push({ machine: machine.name, ...one })
      for (const row of rowsOf(own, shown.own))
        add({ what: 'own', of: row, shown: shown.own[row] ?? 0, counted: own[row] ?? 0 })
      for (const [row, { shows, counted }] of Object.entries(this.#since(machine, shown)))
        add({ what: 'desk', of: row, shown: shows, counted })
      for (const { name, total } of snapshot.desk?.members ?? [])
        if (this.#running.some((one) => one.name === name))
          add({ what: 'total', of: name, shown: total, counted: sumOf(this.#key.countsOf(name)) })
    }
    return compared
  }

  /**
   * The largest share of requests since `begin` that a machine attributes to others, although there are none.
   * It is not always 0, because a header may count requests whose reports have not arrived yet.
   */
  async shareOfOthers(): Promise<number> {
    const shares: number[] = []
    for (const machine of this.#running) {
      const baseline = this.#baselines.get(machine)
      if (baseline === undefined) continue
      const { elsewhere } = shownBy(await machine.snapshot())
      const all = this.#machines.map(
        ({ name }) => sumOf(this.#key.allOf(name)) - sumOf(baseline.counted.get(name) ?? {}),
      )
      const others = Math.abs(sumOf(elsewhere) - sumOf(baseline.shown.elsewhere))
      shares.push(
        others /
          Math.max(
            1,
            all.reduce((sum, one) => sum + one, 0),
          ),
      )
    }
    return Math.max(...shares)
  }

  get #running(): readonly DeskMachine[] {
    return this.#machines.filter(({ isRunning }) => isRunning)
  }

  /** Requests of the other machines since `begin`, by category. */
  #since(machine: DeskMachine, { desk }: Shown) {
    const since: Record<string, { shows: number; counted: number }> = {}
    const baseline = this.#baselines.get(machine)
    if (baseline === undefined) return since
    const others = this.#machines.filter((one) => one !== machine)
    for (const row of rowsOf(desk, ...this.#machines.map(({ name }) => this.#key.allOf(name)))) {
      const counted = others.map(
        ({ name }) => (this.#key.allOf(name)[row] ?? 0) - (baseline.counted.get(name)?.[row] ?? 0),
      )
      since[row] = {
        shows: (desk[row] ?? 0) - (baseline.shown.desk[row] ?? 0),
        counted: counted.reduce((sum, one) => sum + one, 0),
      }
    }
    return since
  }
}

function shownBy({ requests }: Snapshot): Shown {
  const rows = requests.flatMap(({ category, used }) =>
    used === undefined ? [] : [[category, used] as const],
  )
  return {
    own: Object.fromEntries(rows.map(([category, { own }]) => [category, own])),
    desk: Object.fromEntries(rows.map(([category, { desk = 0 }]) => [category, desk])),
    elsewhere: Object.fromEntries(rows.map(([category, { elsewhere }]) => [category, elsewhere])),
  }
}

/** A comparison as text. */
export const lineOf = ({ machine, what, of, shown, counted }: ComparedCount): string =>
  `${machine}, ${what} ${what === 'total' ? 'of ' : ''}${of}: shows ${shown}, the service counted ${counted}`

const rowsOf = (...all: readonly Counts[]): readonly string[] => [...new Set(all.flatMap(Object.keys))]

/** The sum of all categories. */
export const sumOf = (counts: Counts): number => Object.values(counts).reduce((sum, one) => sum + one, 0)

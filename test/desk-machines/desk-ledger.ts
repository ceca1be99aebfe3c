import type { DeskMachine } from './desk-machine.ts'
import type { CountedAnswer, SharedKey } from './shared-key.ts'

/** The text of a 429 of the service or of a request without a response. */
type Line = string

/**
 * The outcome of each request of a desk's programs, by the service's count and by the program's response.
 */
export class DeskLedger {
  /** 429s of the service. If all traffic is the desk's, each of them was avoidable. */
  readonly rejected: Line[] = []
  /** Requests that the service accepted more than once. */
  readonly twice: Line[] = []
  /** Requests without a response, although the program's machine was not killed. */
  readonly unanswered: Line[] = []
  /** 429s of the gateways themselves, whose requests were not sent. */
  readonly declined: Line[] = []
  /** Responses to programs, by status. */
  readonly statuses = new Map<number, number>()
  /** Requests whose response was lost because the program's machine was killed. */
  lost = 0
  /** Requests that the service accepted, by category. */
  readonly accepted = new Map<string, number>()
  readonly #times = new Map<string, number>()
  readonly #startedMs = Date.now()
  readonly end: () => void

  constructor(key: SharedKey) {
    this.end = key.onAnswer((answer) => this.#counted(answer))
  }

  /**
   * Sends a request of a program and records its response. Resolves to the status, or 0 without a response.
   */
  async ask(machine: DeskMachine, program: string, path: string): Promise<number> {
    const { pid } = machine
    const answering = machine.get(program, path)
    const ask = askOf(machine.name, program, String(machine.asked))
    try {
      const answer = await answering
      const body = await answer.text()
      if (answer.status === 429 && !answer.headers.get('proxy-status')?.includes('received-status'))
        this.declined.push(`${this.#at()} ${ask}: ${/"detail":"([^"]*)"/.exec(body)?.[1]}`)
      this.statuses.set(answer.status, (this.statuses.get(answer.status) ?? 0) + 1)
      return answer.status
    } catch (error) {
      const isGone = machine.isEnding || machine.pid !== pid
      // A machine that is being stopped closes its connections, but answers requests that were sent.
      if (!isGone) this.unanswered.push(`${this.#at()} ${ask}: ${String((error as Error).cause ?? error)}`)
      else this.lost += 1
      return 0
    }
  }

  /** A line for each broken rule. */
  get faults(): readonly Line[] {
    return [
      ...this.rejected.map((line) => `429 of the service: ${line}`),
      ...this.twice.map((line) => `accepted twice: ${line}`),
      ...this.unanswered.map((line) => `no answer: ${line}`),
    ]
  }

  #counted({ machine, program, ask, category, isAccepted }: CountedAnswer): void {
    const name = askOf(machine, program ?? 'its checks', ask ?? '')
    if (!isAccepted) {
      this.rejected.push(`${this.#at()} ${name}, ${category}`)
      return
    }
    this.accepted.set(category, (this.accepted.get(category) ?? 0) + 1)
    if (ask === undefined) return
    const times = (this.#times.get(name) ?? 0) + 1
    this.#times.set(name, times)
    if (times > 1) this.twice.push(`${this.#at()} ${name}, ${category}`)
  }

  #at(): string {
    return `${((Date.now() - this.#startedMs) / 1_000).toFixed(1)} s`
  }
}

const askOf = (machine: string, program: string, ask: string): string => `${machine} ${program} ${ask}`

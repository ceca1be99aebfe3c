import type { Outcome } from '../../app/contract/contract.ts'
import type { StreamSummary } from '../../app/contract/snapshot.ts'
import { streamPath } from '../../app/service/stream-paths.ts'
import { STREAM_SHAPES, type StreamRequest } from '../../app/service/streams.ts'
import { type StreamDeps, StreamKeeper } from './stream-keeper.ts'

const MOST_STREAMS = 200
/** Streams that are over stay visible with their reason, the latest few. */
const MOST_CLOSED_SHOWN = 5

/** The own streams of one profile. */
export class Streams {
  readonly #deps: Omit<StreamDeps, 'opening'>
  #keepers: StreamKeeper[] = []
  #nextId = 1

  constructor(deps: Omit<StreamDeps, 'opening'>) {
    this.#deps = deps
  }

  open(request: StreamRequest): Outcome<{ readonly stream: string }> {
    const path = streamPath(request)
    if (!path.ok) return { ok: false, code: 'bad-target', message: `Not opened: ${path.message}.` }
    const { category } = STREAM_SHAPES[request.kind]
    if (this.#deps.slots.free(category) === 0) {
      return {
        ok: false,
        code: 'no-slot',
        message: `Not opened: all slots of ${category} are in use. Close a stream first.`,
      }
    }
    if (this.#keepers.filter((keeper) => !keeper.isClosed).length >= MOST_STREAMS) {
      return {
        ok: false,
        code: 'too-many',
        message: `Not opened: ${MOST_STREAMS} streams are open already.`,
      }
    }
    const id = `s${this.#nextId++}`
    const keeper = new StreamKeeper(id, request, path.path, {
      ...this.#deps,
      opening: (wanted, except) => this.#opening(wanted, except),
    })
    this.#keepers = [...this.#withoutOldClosed(), keeper]
    keeper.start()
    this.#deps.changed()
    return { ok: true, stream: id }
  }

  close(id: string): Outcome {
    const keeper = this.#keepers.find((one) => one.id === id)
    if (!keeper) {
      return { ok: false, code: 'unknown-stream', message: 'That stream is not open any more.' }
    }
    if (keeper.isClosed) this.#keepers = this.#keepers.filter((one) => one !== keeper)
    else keeper.close('closed here')
    this.#deps.changed()
    return { ok: true }
  }

  closeAll(reason: string): void {
    for (const keeper of this.#keepers) keeper.close(reason)
  }

  nudge(): void {
    for (const keeper of this.#keepers) keeper.nudge()
  }

  stop(): void {
    this.closeAll('Headroom is closing')
  }

  summaries(): readonly StreamSummary[] {
    return this.#keepers.map((keeper) => keeper.summary())
  }

  #opening(category: string, except: string): number {
    return this.#keepers.filter(
      (keeper) => keeper.category === category && keeper.id !== except && keeper.isOpening,
    ).length
  }

  #withoutOldClosed(): StreamKeeper[] {
    const closed = this.#keepers.filter((keeper) => keeper.isClosed).slice(0, -MOST_CLOSED_SHOWN)
    return this.#keepers.filter((keeper) => !closed.includes(keeper))
  }
}

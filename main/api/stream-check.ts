import type { Outcome } from '../../app/contract/outcome.ts'
import { STREAM_TABLE, type StreamRequest, streamKindOf } from '../../app/service/stream-kinds.ts'
import { streamPath } from '../../app/service/stream-paths.ts'
import { type ConnectionDeps, StreamConnection } from '../streams/stream-connection.ts'
import type { Access } from '../tokens/keeper.ts'
import * as checkErrors from './check-errors.ts'

export interface StreamCheckDeps extends ConnectionDeps {
  readonly access: () => Promise<Access>
  /** See `TokenKeeper.usable`. */
  readonly usable: () => Access
  readonly rejected: (value: string) => Promise<void>
}

/**
 * The stream to open for the headers of a category; `undefined` where no stream counts against it.
 *
 * `no-target`: only a person knows what such a stream could be about. `no-account`: none is known yet.
 */
export function streamToCheck(
  category: string,
  { account, symbol }: { readonly account: string | undefined; readonly symbol: string },
): StreamRequest | 'no-account' | 'no-target' | undefined {
  const kind = streamKindOf(category)
  if (kind === undefined) return undefined
  switch (STREAM_TABLE[kind].target) {
    case 'symbol':
    case 'symbols':
      return { kind, target: symbol, options: {} }
    case 'accounts':
      return account === undefined ? 'no-account' : { kind, target: account, options: {} }
    case 'option-symbols':
    case 'orders':
      return 'no-target'
  }
}

/**
 * Opens a stream to see its headers and closes it as soon as they are there.
 *
 * Nothing else shows the quotas of a stream category. It takes a request and, for a moment, a slot: never the last
 * one without a person asking, and never one that is not free.
 */
export async function checkStream(
  category: string,
  request: StreamRequest,
  deps: StreamCheckDeps,
): Promise<Outcome> {
  const path = streamPath(request)
  if (!path.ok) return checkErrors.needsTarget(category)
  await deps.access()
  const token = deps.usable()
  if (token.kind === 'none') return checkErrors.cannotAsk(category)
  const now = deps.timeline.now()
  const notBeforeMs = deps.tap.notBeforeMs('GET', path.path)
  if (notBeforeMs !== undefined) return checkErrors.held(category, notBeforeMs, now)
  if (deps.slots.free(category) === 0) return checkErrors.noSlotFree(category)
  return new Promise((resolve) => {
    const connection: StreamConnection = new StreamConnection(category, path.path, token.value, deps, {
      opened: () => {
        connection.close()
        resolve({ ok: true })
      },
      frames: () => {},
      refused: (status, { refused, retryAtMs }) => {
        if (status === 401) void deps.rejected(token.value)
        if (refused === 'concurrency') resolve(checkErrors.noSlotFree(category))
        else if (refused !== undefined && retryAtMs !== undefined) {
          resolve(checkErrors.held(category, retryAtMs, deps.timeline.now()))
        } else resolve(checkErrors.refusedBy(category, status))
      },
      ended: (why) => resolve(checkErrors.unreachable(why)),
    })
  })
}

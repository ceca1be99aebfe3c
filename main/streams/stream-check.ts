import type { Outcome } from '../../app/contract/outcome.ts'
import { STREAM_TABLE, type StreamRequest, streamKindOf } from '../../app/service/stream-kinds.ts'
import { streamPath } from '../../app/service/stream-paths.ts'
import * as checkErrors from '../api/check-errors.ts'
import type { Bearer } from '../tokens/keeper.ts'
import { type ConnectionDeps, StreamConnection } from './stream-connection.ts'

export interface StreamCheckDeps extends ConnectionDeps, Bearer {}

/**
 * The stream to open in order to get a category's quota headers. `undefined` if no stream counts against the
 * category.
 *
 * `no-target`: only a person can choose a target. `no-account`: no account id is known yet.
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
 * Opens a stream, reads its quota headers and closes it. No other request shows the quotas of a stream
 * category.
 *
 * A check uses one request and, briefly, one slot. It never closes another stream to get a slot, but may take
 * the last free slot, because only a person requests such a check.
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
    const pass = { token: token.value }
    const connection: StreamConnection = new StreamConnection(category, path.path, pass, deps, {
      opened: () => {
        connection.close()
        resolve({ ok: true })
      },
      frames: () => {},
      refused: (status, { refused, retryAtMs }) => {
        if (status === 401) void deps.rejected(token.value, path.path)
        if (refused === 'concurrency') resolve(checkErrors.noSlotFree(category))
        else if (refused !== undefined && retryAtMs !== undefined) {
          resolve(checkErrors.held(category, retryAtMs, deps.timeline.now()))
        } else resolve(checkErrors.refusedWith(category, status))
      },
      ended: (why) => resolve(checkErrors.unreachable(why)),
    })
  })
}

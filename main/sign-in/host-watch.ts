import { RETRY, retryDelayMs } from '../../app/retry/schedules.ts'
import type { Clock, Http } from '../ports/ports.ts'

/** How long the sign-in host has to begin an answer. Milliseconds. */
const TIMEOUT_MS = 5_000

/** The time between two looks at a host that answers, in milliseconds. */
const AGAIN_MS = 30_000

/** The observed sign-in host of one sign-in. */
export interface HostWatch {
  /** Resolves with the first look: why the host does not answer, in plain words; `undefined` where it does, or at `stop`. */
  readonly first: Promise<string | undefined>
  stop(): void
}

export interface HostWatchDeps {
  readonly http: Pick<Http, 'open'>
  readonly clock: Clock
}

/**
 * Looks whether the host of `authUrl` answers, until it is stopped, and calls `changed` at each change after the first
 * look. Any answer counts. The request holds nothing of the sign-in, and its answer is not read.
 */
export function watchHost(
  { http, clock }: HostWatchDeps,
  authUrl: string,
  changed: (why: string | undefined) => void,
): HostWatch {
  let isStopped = false
  let failures = 0
  let former: string | undefined
  let cancel = () => {}

  const look = (seen: (why: string | undefined) => void) => {
    let isOver = false
    const ended = (why: string | undefined) => {
      if (isOver || isStopped) return
      isOver = true
      failures = why === undefined ? 0 : failures + 1
      const waitMs = why === undefined ? AGAIN_MS : retryDelayMs(RETRY.signInHost, failures, 0)
      cancel = clock.after(waitMs, () => look(tell))
      seen(why)
    }
    const close = http.open(
      { method: 'GET', url: `${authUrl}/`, headers: {}, timeoutMs: TIMEOUT_MS },
      {
        opened: () => {
          ended(undefined)
          close()
        },
        chunk: () => {},
        ended,
      },
    )
    if (!isOver) cancel = close
  }
  const tell = (why: string | undefined) => {
    if (why === former) return
    former = why
    changed(why)
  }
  const { promise: first, resolve } = Promise.withResolvers<string | undefined>()
  look((why) => {
    former = why
    resolve(why)
  })
  return {
    first,
    stop: () => {
      isStopped = true
      cancel()
      resolve(undefined)
    },
  }
}

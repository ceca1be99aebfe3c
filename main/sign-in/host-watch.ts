import { RETRY, retryDelayMs } from '../../app/retry/schedules.ts'
import type { Clock, Http } from '../ports/ports.ts'

/** Timeout for the head of the sign-in host's response. Milliseconds. */
const TIMEOUT_MS = 5_000

/** Interval of checks while the host responds. Milliseconds. */
const AGAIN_MS = 30_000

export interface HostWatch {
  /**
   * Resolves after the first check, or at `stop`. The value says why the host does not respond. `undefined`
   * if it responds, or if `stop` came first.
   */
  readonly first: Promise<string | undefined>
  stop(): void
}

export interface HostWatchDeps {
  readonly http: Pick<Http, 'open'>
  readonly clock: Clock
}

/**
 * Checks whether the host of `authUrl` responds, until stopped. Calls `changed` at each change after the
 * first check.
 *
 * Any response counts. The request contains nothing about the sign-in, and the response is not read.
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

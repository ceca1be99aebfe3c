import { lstatSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname } from 'node:path'
import type { Clock } from '../ports/ports.ts'
import { whyNotTrusted } from '../storage/private-files.ts'
import { systemErrorCode, systemErrorText } from '../storage/system-error.ts'
import { isOurFolder } from './control-server.ts'
import {
  type ControlAnswer,
  type ControlRequest,
  MAX_ANSWER_BYTES,
  parseAnswer,
  REQUEST_RULES,
} from './protocol.ts'
import type { SocketPath } from './socket-path.ts'

export type RunningAnswer =
  | { readonly kind: 'answered'; readonly answer: ControlAnswer }
  /** No app runs on this data folder, or the app has no socket. */
  | { readonly kind: 'not-running' }
  | { readonly kind: 'failed'; readonly why: string }

export interface AskDeps {
  readonly clock: Clock
  readonly path: SocketPath
  readonly userId: number | undefined
}

/**
 * Sends a request to the app that runs on a data folder. Rejects a socket that another user may have created,
 * because its response can't be trusted.
 */
export function askRunning(
  request: ControlRequest,
  { clock, path, userId }: AskDeps,
): Promise<RunningAnswer> {
  if (path.kind === 'elsewhere' && !isOurFolder(path.folder, userId))
    return Promise.resolve({ kind: 'not-running' })
  const foreign = whyForeign(path, userId)
  if (foreign !== undefined) return Promise.resolve({ kind: 'failed', why: foreign })
  return new Promise((resolve) => {
    const socket = connect(path.path)
    let received = ''
    const done = (asked: RunningAnswer) => {
      cancel()
      socket.destroy()
      resolve(asked)
    }
    const cancel = clock.after(REQUEST_RULES[request.do].timeoutMs, () =>
      done({ kind: 'failed', why: 'it timed out' }),
    )
    socket.setEncoding('utf8')
    socket.on('connect', () => socket.write(`${JSON.stringify(request)}\n`))
    socket.on('data', (text: string) => {
      received += text
      if (received.length > MAX_ANSWER_BYTES) done({ kind: 'failed', why: 'its response doesn’t end' })
    })
    socket.on('end', () => {
      const answer = parseAnswer(received)
      done(answer ? { kind: 'answered', answer } : { kind: 'failed', why: 'its response is unreadable' })
    })
    socket.on('error', (error) => done(failureOf(error)))
  })
}

/**
 * Why a socket cannot be trusted. Node does not report the credentials of the peer process, so the owners of
 * the socket and its folder are checked.
 */
function whyForeign(path: SocketPath, userId: number | undefined): string | undefined {
  if (path.kind === 'pipe' || userId === undefined) return undefined
  try {
    const found = lstatSync(path.path, { throwIfNoEntry: false })
    if (found === undefined) return undefined
    if (found.uid !== userId) return 'its socket belongs to another user'
    const folder = dirname(path.path)
    const distrust = whyNotTrusted(folder, userId)
    return distrust && `its socket in ${folder} is not trusted: ${distrust}`
  } catch (error) {
    return `its socket is unreadable: ${systemErrorText(error)}`
  }
}

function failureOf(error: Error): RunningAnswer {
  switch (systemErrorCode(error)) {
    case 'ENOENT':
    case 'ECONNREFUSED':
    case 'ENOTSOCK':
      return { kind: 'not-running' }
    case 'EACCES':
    case 'EPERM':
      return { kind: 'failed', why: 'it belongs to another user' }
    default:
      return { kind: 'failed', why: systemErrorText(error) }
  }
}

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { REDIRECT_PORTS, type SignInFailure } from '../../app/sign-in/failure.ts'
import type { LoopbackServers } from '../network/loopback-servers.ts'
import type { Clock } from '../ports/ports.ts'
import { systemErrorCode, systemErrorText } from '../storage/system-error.ts'
import { NOT_HERE, PAGE_HEADERS, pageText, type RedirectPage } from './redirect-pages.ts'

/** Opens one port on both loopback addresses. Rejects with code EADDRINUSE if either is in use. */
export type ListenOnLoopback = (
  port: number,
  listenerFor: (port: number) => RequestListener,
) => Promise<LoopbackServers>

export interface RedirectServer {
  /** The redirect address that is sent to the service. */
  readonly redirectUri: string
  /** Waits up to `LAST_PAGE_MS` for pages in progress, then closes. */
  close(): Promise<void>
}

export interface RedirectServerDeps {
  readonly listen: ListenOnLoopback
  readonly clock: Pick<Clock, 'after'>
}

/**
 * Maximum time in milliseconds that `close` waits for pages in progress. Browsers read pages immediately. A
 * slow browser must not occupy the port.
 */
const LAST_PAGE_MS = 2_000

/** Handles a redirect's query. Returns the page for the browser tab. */
export type AnswerRedirect = (query: URLSearchParams) => Promise<RedirectPage>

/**
 * Waits for the redirect on the first free port that the key allows (service 10).
 *
 * Binds both loopback addresses, because some browsers resolve `localhost` to ::1, where another program
 * could receive the code.
 */
export async function listenForRedirect(
  { listen, clock }: RedirectServerDeps,
  answer: AnswerRedirect,
): Promise<RedirectServer | Extract<SignInFailure, { readonly kind: 'ports-taken' | 'no-loopback' }>> {
  const open = new Set<ServerResponse>()
  let trouble: unknown
  for (const port of REDIRECT_PORTS) {
    try {
      const servers = await listen(port, (bound) => redirectListener(bound, answer, open))
      return {
        redirectUri: `http://localhost:${servers.port}`,
        close: async () => {
          await allClosed(open, clock)
          await servers.close()
        },
      }
    } catch (error) {
      if (!MEANS_TAKEN.has(systemErrorCode(error))) trouble = error
    }
  }
  return trouble === undefined
    ? { kind: 'ports-taken' }
    : { kind: 'no-loopback', why: systemErrorText(trouble) }
}

function allClosed(open: ReadonlySet<ServerResponse>, clock: Pick<Clock, 'after'>): Promise<void> {
  if (open.size === 0) return Promise.resolve()
  return new Promise((resolve) => {
    const cancel = clock.after(LAST_PAGE_MS, resolve)
    for (const response of open) {
      response.once('close', () => {
        if (open.size > 0) return
        cancel()
        resolve()
      })
    }
  })
}

/** Some systems return EACCES for ports that they reserve. */
const MEANS_TAKEN: ReadonlySet<unknown> = new Set(['EADDRINUSE', 'EACCES'])

function redirectListener(port: number, answer: AnswerRedirect, open: Set<ServerResponse>): RequestListener {
  const names = new Set([`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`])
  return (request, response) => {
    open.add(response)
    response.once('close', () => open.delete(response))
    // After DNS rebinding, a page's own host name points to this address. Such a page must neither see nor
    // end a sign-in.
    if (!names.has(request.headers.host ?? '')) return show(response, { ...NOT_HERE, status: 421 })
    const query = queryOf(request)
    if (query === undefined) return show(response, NOT_HERE)
    answer(query).then(
      (page) => show(response, page),
      () => response.destroy(),
    )
  }
}

/**
 * The query of a redirect, which is a plain GET of the root. `undefined` for any other request, such as the
 * browser's request for an icon.
 */
function queryOf({ method, url }: IncomingMessage): URLSearchParams | undefined {
  const [path, ...rest] = (url ?? '').split('?')
  return method === 'GET' && path === '/' ? new URLSearchParams(rest.join('?')) : undefined
}

function show(response: ServerResponse, page: RedirectPage): void {
  if (response.destroyed) return
  response.writeHead(page.status, PAGE_HEADERS).end(pageText(page))
}

import type { Notify } from '../ports/notify.ts'
import type { Clock, Log } from '../ports/ports.ts'

/** Where newer versions come from. Each promise rejects where the feed cannot be had or is not to be trusted. */
export interface Updater {
  /** The newer version, or `undefined` when this is the newest. */
  check(): Promise<string | undefined>
  /** Fetches the version that was found last and verifies it. */
  download(): Promise<void>
  /** Ends the app and installs what was downloaded. */
  install(): void
  /** Whether the signature of an installer is verified here. Without that nothing is installed from within the app. */
  readonly verifiesSignature: boolean
  /** The page of a release, for a person's browser. */
  releasePage(version: string): string
}

/** What is known of a newer version of the app. */
export type UpdateState =
  /** No feed is part of the app: it was built on this computer, or runs from a checkout. */
  | { readonly kind: 'no-feed' }
  | { readonly kind: 'off' }
  /** No newer version is known. */
  | { readonly kind: 'none' }
  | { readonly kind: 'available'; readonly version: string }
  | { readonly kind: 'downloading'; readonly version: string }
  | { readonly kind: 'ready'; readonly version: string }
  /** It could not be fetched, or it is not what its signature says. */
  | { readonly kind: 'failed'; readonly version: string }

export interface UpdatesDeps {
  readonly updater: Updater | undefined
  readonly clock: Pick<Clock, 'after'>
  /** The setting. */
  readonly isWanted: () => boolean
  readonly notify: Notify
  /** Shows a page in the person's browser. */
  readonly openPage: (url: string) => Promise<void>
  readonly changed: () => void
  readonly log: Log
}

export interface Updates {
  state(): UpdateState
  /** After the setting was changed. */
  wantedChanged(): void
  /** What a person who was told of a version does next: fetch it, install it, or see its page. */
  proceed(): void
  close(): void
}

/** Not at once: the start belongs to what the app is for. */
export const FIRST_CHECK_MS = 60_000
export const CHECK_EVERY_MS = 24 * 60 * 60_000

/**
 * Looks for newer versions and tells of each once.
 *
 * Fetching and installing are only ever begun by `proceed`, which a person calls.
 */
export function followUpdates(deps: UpdatesDeps): Updates {
  const { updater, clock, isWanted, notify, changed, log } = deps
  let state: UpdateState = updater === undefined ? { kind: 'no-feed' } : { kind: isWanted() ? 'none' : 'off' }
  let cancelNext = () => {}
  let isClosed = false
  let announced: string | undefined

  const become = (next: UpdateState) => {
    if (isClosed || state.kind === 'off' || state.kind === 'no-feed') return
    state = next
    changed()
  }
  const checkAfter = (ms: number) => {
    cancelNext()
    if (updater !== undefined && isWanted() && !isClosed)
      cancelNext = clock.after(ms, () => void check(updater))
  }
  const check = async (from: Updater) => {
    try {
      const version = await from.check()
      if (version !== undefined && isNews(version)) {
        become({ kind: 'available', version })
        announce(version)
      }
    } catch (error) {
      log.note('newer versions could not be looked for', { why: firstLine(error) })
    }
    checkAfter(CHECK_EVERY_MS)
  }
  /** What is being fetched or waits to be installed is not taken back by a later look. */
  const isNews = (version: string) =>
    state.kind === 'none' ||
    state.kind === 'available' ||
    (state.kind === 'failed' && state.version !== version)
  const announce = (version: string) => {
    if (isClosed || state.kind !== 'available' || announced === version) return
    announced = version
    notify({
      title: `Headroom ${version} is out`,
      body: 'Nothing is installed until you choose it in the menu.',
      tag: 'update',
      isUrgent: false,
    })
  }
  const showPage = (from: Updater, version: string) => {
    deps
      .openPage(from.releasePage(version))
      .catch((error: unknown) => log.note('the page of the release could not be opened', { cause: error }))
  }
  const fetch = async (from: Updater, version: string) => {
    become({ kind: 'downloading', version })
    try {
      await from.download()
      become({ kind: 'ready', version })
    } catch (error) {
      log.note('the newer version could not be fetched or verified', { why: firstLine(error), version })
      become({ kind: 'failed', version })
    }
  }

  checkAfter(FIRST_CHECK_MS)
  return {
    state: () => state,
    wantedChanged: () => {
      if (updater === undefined) return
      state = { kind: isWanted() ? 'none' : 'off' }
      changed()
      checkAfter(0)
    },
    proceed: () => {
      if (updater === undefined) return
      switch (state.kind) {
        case 'available':
          if (updater.verifiesSignature) void fetch(updater, state.version)
          else showPage(updater, state.version)
          return
        case 'ready':
          return updater.install()
        case 'failed':
          return showPage(updater, state.version)
        case 'no-feed':
        case 'off':
        case 'none':
        case 'downloading':
          return
      }
    },
    close: () => {
      isClosed = true
      cancelNext()
    },
  }
}

/** The rest of a refused request's message is the answer's headers. */
const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? ''

import type { UpdateState } from '../../../app/contract/updates.ts'
import { CHOSEN_IN_MENU, newVersionText } from '../../../app/status/update-status.ts'
import type { Notify } from '../../ports/notify.ts'
import type { Clock, Log } from '../../ports/ports.ts'
import type { Windows } from '../window-session.ts'

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
      title: newVersionText(version),
      body: CHOSEN_IN_MENU,
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

/** The same windows, whose pages are told of newer versions and may turn the looking for them on and off. */
export function withUpdates(
  windows: Windows,
  { state, setWanted }: { readonly state: () => UpdateState; readonly setWanted: (wanted: boolean) => void },
): Windows {
  return {
    open: (pushes, id) => {
      const session = windows.open(pushes, id)
      const setCheckForUpdates = ({ wanted }: { readonly wanted: boolean }) => {
        setWanted(wanted)
        return state()
      }
      return { ...session, handlers: { ...session.handlers, updates: state, setCheckForUpdates } }
    },
  }
}

/** The rest of a refused request's message is the answer's headers. */
const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? ''

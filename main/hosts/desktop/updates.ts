import type { UpdateState } from '../../../app/contract/updates.ts'
import { CHOSEN_IN_MENU, newVersionText } from '../../../app/status/update-status.ts'
import type { Clock, Log, Notify } from '../../ports/ports.ts'
import type { Windows } from '../window-session.ts'

/** A source of newer versions. Promises reject if the feed is unreachable or can't be trusted. */
export interface Updater {
  /** Returns the newer version. `undefined` if this one is the newest. */
  check(): Promise<string | undefined>
  /** Downloads and verifies the version that was found last. */
  download(): Promise<void>
  /** Exits the app and installs the downloaded version. */
  install(): void
  /** Whether an installer's signature is verified. If not, the app does not install it. */
  readonly verifiesSignature: boolean
  releasePage(version: string): string
}

export interface UpdatesDeps {
  readonly updater: Updater | undefined
  readonly clock: Pick<Clock, 'after'>
  /** Whether the person wants checks for newer versions. */
  readonly isWanted: () => boolean
  readonly notify: Notify
  /** Opens a page in the person's browser. */
  readonly openPage: (url: string) => Promise<void>
  readonly changed: () => void
  readonly log: Log
}

/** The checks for newer versions and their result. */
export interface Updates {
  state(): UpdateState
  /** Called after the setting changed. */
  wantedChanged(): void
  /** Takes the next step towards the newer version: downloads it, installs it, or opens its page. */
  proceed(): void
  close(): void
}

/** Delay of the first check, so that it does not slow down startup. Milliseconds. */
export const FIRST_CHECK_MS = 60_000
export const CHECK_EVERY_MS = 24 * 60 * 60_000

/**
 * Checks for newer versions, and notifies once about each.
 *
 * Only `proceed`, which a person triggers, starts a download or an installation.
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
      log.note('checking for updates failed', { why: firstLine(error) })
    }
    checkAfter(CHECK_EVERY_MS)
  }
  /**
   * Whether to report a found version. False if checks were turned off, if a version is being downloaded or
   * is ready to install, or if this version has failed.
   */
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
      .catch((error: unknown) => log.note('opening the release page failed', { cause: error }))
  }
  const fetch = async (from: Updater, version: string) => {
    become({ kind: 'downloading', version })
    try {
      await from.download()
      become({ kind: 'ready', version })
    } catch (error) {
      log.note('downloading or verifying the update failed', { why: firstLine(error), version })
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

/**
 * Adds the commands for app updates to each window. The window's page can then show newer versions, and turn
 * update checks on and off.
 */
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

/** The first line of an error. After a failed request, the other lines are response headers. */
const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? ''

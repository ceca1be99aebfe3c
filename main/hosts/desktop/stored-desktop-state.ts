import type { IpcMain } from 'electron'
import Store from 'electron-store'
import type { Log } from '../../ports/ports.ts'
import { PRIVATE_MODE } from '../../storage/private-files.ts'
import { setAside } from '../../storage/set-aside.ts'
import { SAVED, type Saved } from '../../storage/storage-error.ts'
import { systemErrorText } from '../../storage/system-error.ts'
import { type DesktopStateStore, migrated, readDesktopState } from './desktop-state.ts'

const NAME = 'window'

export interface StoredDesktopStateDeps {
  readonly dataFolder: string
  readonly ipcMain: Pick<IpcMain, 'removeAllListeners'>
  readonly log: Log
  readonly wallMs: () => number
}

type StateFile = Store<Record<string, unknown>>

/**
 * Reads `window.json` in the data folder with electron-store. A damaged file is set aside, and the defaults
 * apply.
 */
export function storedDesktopState(deps: StoredDesktopStateDeps): DesktopStateStore {
  const file = openStore(deps)
  // Keeps electron-store from sending the path of the data folder to any page that asks on this channel.
  deps.ipcMain.removeAllListeners('electron-store-get-data')
  // Changes apply to this run of the app even if they can't be saved.
  let stored: Readonly<Record<string, unknown>> = file?.store ?? {}
  const write = (next: Readonly<Record<string, unknown>>): Saved => {
    stored = next
    try {
      if (file !== undefined) file.store = { ...next }
      return SAVED
    } catch (error) {
      deps.log.note('saving the window state failed', { cause: error })
      return { ok: false, why: systemErrorText(error) }
    }
  }
  const current = migrated(stored)
  if (file !== undefined && current !== stored) write(current)
  return {
    read: () => readDesktopState(stored),
    change: (changes) => write({ ...stored, ...changes }),
  }
}

function openStore({ dataFolder, log, wallMs }: StoredDesktopStateDeps): StateFile | undefined {
  const open = () =>
    new Store<Record<string, unknown>>({ name: NAME, cwd: dataFolder, configFileMode: PRIVATE_MODE })
  try {
    return open()
  } catch {
    try {
      const aside = setAside({ folder: dataFolder, name: NAME, extension: '.json', why: 'corrupt' }, wallMs())
      log.note(`the window state was damaged, renamed to ${aside}`)
      return open()
    } catch (error) {
      log.note('the window state can be neither read nor renamed', { cause: error })
      return undefined
    }
  }
}

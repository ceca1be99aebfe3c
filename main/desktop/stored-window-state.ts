import { renameSync } from 'node:fs'
import { join } from 'node:path'
import type { IpcMain, Rectangle } from 'electron'
import Store from 'electron-store'
import type { Log } from '../ports/ports.ts'
import { isRectangle, type WindowStateStore } from './window-bounds.ts'

const NAME = 'window'

export interface StoredWindowStateDeps {
  readonly dataFolder: string
  readonly ipcMain: Pick<IpcMain, 'removeAllListeners'>
  readonly log: Log
  readonly wallMs: () => number
}

/** `window.json` in the data folder. A damaged one is set aside, and the window opens as on the first day. */
export function storedWindowState(deps: StoredWindowStateDeps): WindowStateStore {
  const store = openStore(deps)
  // It answers this channel to any page, with the data folder's path; no window of ours asks.
  deps.ipcMain.removeAllListeners('electron-store-get-data')
  return {
    read: () => {
      const bounds = store?.get('bounds')
      return isRectangle(bounds) ? bounds : undefined
    },
    write: (bounds: Rectangle) => {
      try {
        store?.set('bounds', bounds)
      } catch (error) {
        deps.log.note('the place of the window could not be kept', { cause: error })
      }
    },
  }
}

function openStore({
  dataFolder,
  log,
  wallMs,
}: StoredWindowStateDeps): Store<{ bounds: unknown }> | undefined {
  const open = () => new Store<{ bounds: unknown }>({ name: NAME, cwd: dataFolder })
  try {
    return open()
  } catch {
    try {
      const aside = `${NAME}.corrupt-${new Date(wallMs()).toISOString().replace(/[:.]/g, '-')}.json`
      renameSync(join(dataFolder, `${NAME}.json`), join(dataFolder, aside))
      log.note(`the place of the window was damaged and is kept as ${aside}`)
      return open()
    } catch (error) {
      log.note('the place of the window can be neither read nor set aside', { cause: error })
      return undefined
    }
  }
}

import { renameSync } from 'node:fs'
import { join } from 'node:path'
import type { IpcMain } from 'electron'
import Store from 'electron-store'
import type { Log } from '../../ports/ports.ts'
import { PRIVATE_MODE } from '../../storage/private-files.ts'
import { type DesktopStateStore, migrated, readDesktopState } from './desktop-state.ts'

const NAME = 'window'

export interface StoredDesktopStateDeps {
  readonly dataFolder: string
  readonly ipcMain: Pick<IpcMain, 'removeAllListeners'>
  readonly log: Log
  readonly wallMs: () => number
}

type StateFile = Store<Record<string, unknown>>

/** `window.json` in the data folder. A damaged one is set aside, and everything is as on the first day. */
export function storedDesktopState(deps: StoredDesktopStateDeps): DesktopStateStore {
  const file = openStore(deps)
  // It answers this channel to any page, with the data folder's path; no window of ours asks.
  deps.ipcMain.removeAllListeners('electron-store-get-data')
  // What was last said holds for this run also where the disk does not take it.
  let stored: Readonly<Record<string, unknown>> = file?.store ?? {}
  const write = (next: Readonly<Record<string, unknown>>) => {
    stored = next
    try {
      if (file !== undefined) file.store = { ...next }
    } catch (error) {
      deps.log.note('the state of the desktop could not be kept', { cause: error })
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
      const aside = `${NAME}.corrupt-${new Date(wallMs()).toISOString().replace(/[:.]/g, '-')}.json`
      renameSync(join(dataFolder, `${NAME}.json`), join(dataFolder, aside))
      log.note(`the state of the desktop was damaged and is kept as ${aside}`)
      return open()
    } catch (error) {
      log.note('the state of the desktop can be neither read nor set aside', { cause: error })
      return undefined
    }
  }
}

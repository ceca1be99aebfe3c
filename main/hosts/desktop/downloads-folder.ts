import { homedir } from 'node:os'
import { join } from 'node:path'
import type { DownloadItem } from 'electron'
import type { ElectronPieces } from './electron-pieces.ts'

type Paths = Pick<ElectronPieces['app'], 'getPath'>

/**
 * An absolute path in the downloads folder, or in the home folder if there is none.
 *
 * With a bare name a save dialog would open in the working directory of the process.
 */
export function inDownloads(app: Paths, name: string): string {
  try {
    return join(app.getPath('downloads'), name)
  } catch {
    return join(homedir(), name) // the account has no such folder
  }
}

/** Sets title and path of the save dialog for a file from the window. */
export const nameDownload = (app: Paths) => (item: DownloadItem) =>
  item.setSaveDialogOptions({
    title: 'Save a file of Headroom',
    defaultPath: inDownloads(app, item.getFilename()),
  })

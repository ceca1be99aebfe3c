import { homedir } from 'node:os'
import { join } from 'node:path'
import type { DownloadItem } from 'electron'
import type { ElectronPieces } from './electron-pieces.ts'

type Paths = Pick<ElectronPieces['app'], 'getPath'>

/**
 * A whole path in the person's downloads folder, or in the home folder where there is none.
 *
 * With a name alone a save dialog opens in the folder that the process was started in: the system's own, or a checkout.
 */
export function inDownloads(app: Paths, name: string): string {
  try {
    return join(app.getPath('downloads'), name)
  } catch {
    return join(homedir(), name) // an account without such a folder
  }
}

/** Names the dialog in which a person says where a file of the window goes. */
export const nameDownload = (app: Paths) => (item: DownloadItem) =>
  item.setSaveDialogOptions({
    title: 'Save a file of Headroom',
    defaultPath: inDownloads(app, item.getFilename()),
  })

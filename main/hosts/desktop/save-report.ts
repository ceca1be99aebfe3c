import { readFileSync, writeFileSync } from 'node:fs'
import { homedir, release } from 'node:os'
import { join } from 'node:path'
import type { DownloadItem } from 'electron'
import { type MonitorSurface, snapshotsOf } from '../../monitor/monitor-surface.ts'
import type { Log } from '../../ports/ports.ts'
import { systemErrorCode } from '../../storage/system-error.ts'
import type { DesktopState } from './desktop-state.ts'
import type { ElectronPieces } from './electron-pieces.ts'
import { reportText } from './report.ts'

export interface SaveReportDeps {
  readonly electron: Pick<ElectronPieces, 'app' | 'dialog'>
  readonly version: string
  readonly dataFolder: string
  readonly monitor: Pick<MonitorSurface, 'profiles' | 'snapshot'>
  readonly state: () => DesktopState
  readonly wallMs: () => number
  readonly log: Log
}

/** Asks the person for a path, and writes the report there. Nothing is sent. */
export async function saveReport(deps: SaveReportDeps): Promise<void> {
  const { electron, version, dataFolder, monitor, state, wallMs, log } = deps
  const atMs = wallMs()
  const { canceled, filePath } = await electron.dialog.showSaveDialog({
    title: 'Save a report without secrets',
    defaultPath: inDownloads(
      electron.app,
      `headroom-report-${new Date(atMs).toISOString().slice(0, 10)}.txt`,
    ),
    filters: [{ name: 'Text', extensions: ['txt'] }],
  })
  if (canceled || filePath === '') return
  const text = reportText({
    atMs,
    app: `version ${version}`,
    system: `${process.platform} ${process.arch} ${release()}`,
    versions: {
      electron: process.versions.electron,
      chrome: process.versions['chrome'],
      node: process.versions.node,
    },
    state: state(),
    snapshots: snapshotsOf(monitor),
    log: ['headroom.1.log', 'headroom.log'].map((name) => readOr(join(dataFolder, name), '')).join(''),
    paths: [dataFolder, homedir()],
  })
  try {
    writeFileSync(filePath, text, { mode: 0o600 })
  } catch (error) {
    log.note('saving the report failed', { cause: error })
    await electron.dialog.showMessageBox({
      type: 'error',
      title: 'Headroom',
      message: 'Saving the report failed.',
      detail: whyNotWritten(error),
    })
  }
}

/** Describes a write error without the path, which the person has just chosen. */
function whyNotWritten(error: unknown): string {
  const code = systemErrorCode(error)
  switch (code) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return 'You can’t write there. Choose another folder.'
    case 'ENOSPC':
      return 'The disk is full. Choose another one, or free space.'
    default:
      return 'Choose another folder. See the log for details.'
  }
}

function readOr(file: string, otherwise: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return otherwise // the file does not exist yet
  }
}

type Paths = Pick<ElectronPieces['app'], 'getPath'>

/**
 * The absolute path of a file in the downloads folder, or in the home folder if there is no downloads folder.
 *
 * With a relative name, the save dialog would open in the working directory of the process.
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
    title: 'Save a file from Headroom',
    defaultPath: inDownloads(app, item.getFilename()),
  })

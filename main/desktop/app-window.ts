import type { BrowserWindow, BrowserWindowConstructorOptions } from 'electron'
import { contract } from '../../app/contract/contract.ts'
import type { Log } from '../ports/ports.ts'
import type { Windows } from '../windows.ts'
import { APP_URL } from './app-scheme.ts'
import type { ElectronPieces } from './electron-pieces.ts'
import { windowPreferences } from './hardening.ts'
import { isOurFrame, publish, serve } from './ipc.ts'
import { LEAST_SIZE, openingBounds, type WindowStateStore } from './window-bounds.ts'

export interface AppWindowDeps {
  readonly electron: Pick<ElectronPieces, 'app' | 'BrowserWindow' | 'screen'>
  readonly windows: Windows
  readonly windowState: WindowStateStore
  readonly preloadPath: string
  readonly log: Log
}

/** The page's own background, so that a slow first paint is not a white flash. */
const BACKGROUND = '#0e1116'

/** Opens the one window and its session; the session ends with it. */
export async function openAppWindow(deps: AppWindowDeps): Promise<BrowserWindow> {
  const { electron, windows, windowState, log } = deps
  const window = new electron.BrowserWindow(windowOptions(deps))
  const { webContents } = window
  const session = windows.open(publish(contract, webContents))
  // This page's own channels: another page's messages do not even arrive here.
  serve(contract, session.handlers, webContents.ipc, (event) => isOurFrame(event, webContents), log)

  window.once('ready-to-show', () => window.show())
  window.on('close', () => windowState.write(window.getNormalBounds()))
  window.on('closed', () => session.close())
  webContents.on('render-process-gone', (_event, { reason }) => {
    log.note('the page of the window ended', { reason })
    // A monitor that runs for weeks must not stay blank; when memory is short, a reload would only repeat it.
    if (reason === 'crashed' || reason === 'killed') webContents.reload()
  })

  await window.loadURL(APP_URL)
  return window
}

function windowOptions({
  electron,
  windowState,
  preloadPath,
}: AppWindowDeps): BrowserWindowConstructorOptions {
  const workAreas = electron.screen.getAllDisplays().map(({ workArea }) => workArea)
  return {
    ...openingBounds(windowState.read(), workAreas),
    minWidth: LEAST_SIZE.width,
    minHeight: LEAST_SIZE.height,
    title: 'Headroom',
    backgroundColor: BACKGROUND,
    show: false,
    webPreferences: windowPreferences(preloadPath, electron.app.isPackaged),
  }
}

import type {
  App,
  BrowserWindowConstructorOptions,
  DownloadItem,
  Session,
  WebContents,
  WebPreferences,
} from 'electron'
import { isAppUrl } from './app-scheme.ts'

/** The window's preferences. Each one restricts the page, for the reason in its comment. */
export function windowPreferences(preloadPath: string, isPackaged: boolean): WebPreferences {
  return {
    preload: preloadPath,
    // The page's process has no privileges, even if the page is compromised.
    sandbox: true,
    // The page can't replace the preload's functions.
    contextIsolation: true,
    // Neither the page nor its frames and workers have `require`.
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    // Same-origin and mixed-content rules stay enabled.
    webSecurity: true,
    allowRunningInsecureContent: false,
    experimentalFeatures: false,
    // A <webview> would be a second, unprotected window.
    webviewTag: false,
    // A file dropped on the window would navigate it.
    navigateOnDragDrop: false,
    // Dictionaries would be downloaded.
    spellcheck: false,
    // Attackers may persuade people to paste a script into a console, which only developers need.
    devTools: !isPackaged,
  } satisfies BrowserWindowConstructorOptions['webPreferences']
}

/**
 * Denies every permission except writing text to the clipboard, and every request except those for the app
 * itself.
 */
export function hardenSession(
  session: Pick<
    Session,
    | 'setPermissionRequestHandler'
    | 'setPermissionCheckHandler'
    | 'setDevicePermissionHandler'
    | 'setDisplayMediaRequestHandler'
    | 'webRequest'
    | 'on'
  >,
  isPackaged: boolean,
  nameDownload: (item: DownloadItem) => void,
): void {
  // Denies all other permissions, such as the camera and reading the clipboard.
  session.setPermissionRequestHandler((_contents, permission, decide, { isMainFrame, requestingUrl }) =>
    decide(mayUse(permission, isMainFrame, requestingUrl)),
  )
  // Synchronous permission checks bypass the request handler above, so they need their own handler.
  session.setPermissionCheckHandler((_contents, permission, requestingOrigin, { isMainFrame }) =>
    mayUse(permission, isMainFrame, requestingOrigin),
  )
  // Denies screen capture, as Electron does by default.
  session.setDisplayMediaRequestHandler(null)
  // Denies HID, serial and USB devices.
  session.setDevicePermissionHandler(() => false)
  // Blocks the network even for a page that bypassed the CSP.
  session.webRequest.onBeforeRequest(({ url }, decide) => decide({ cancel: !mayRequest(url, isPackaged) }))
  // Allows only downloads of files made by our own page, with a save dialog.
  session.on('will-download', (event, item) => {
    if (isOurFile(item.getURL())) nameDownload(item)
    else event.preventDefault()
  })
}

/**
 * Whether the page may use a permission. Only one is allowed: the main frame of the app may write plain text
 * to the clipboard. Reading the clipboard is a separate permission.
 */
function mayUse(permission: string, isMainFrame: boolean, url: string): boolean {
  return permission === 'clipboard-sanitized-write' && isMainFrame && isAppUrl(url)
}

/** Restricts every page in the app, even an unexpected one. Call this before Electron is ready. */
export function hardenContents(app: Pick<App, 'on' | 'enableSandbox'>): void {
  // This also sandboxes a window whose preferences lack a sandbox.
  app.enableSandbox()
  app.on('web-contents-created', (_event, contents) => hardenOne(contents))
}

function hardenOne(contents: WebContents): void {
  // The window is a single page. Any navigation except its own reload is a mistake or an attack.
  const isOnlyReload = ({ url, isMainFrame }: { readonly url: string; readonly isMainFrame: boolean }) =>
    isMainFrame && isAppUrl(url) && url === contents.getURL()
  contents.on('will-navigate', (event) => {
    if (!isOnlyReload(event)) event.preventDefault()
  })
  // The app has no frames. A frame that navigates is therefore a mistake or an attack.
  contents.on('will-frame-navigate', (event) => {
    if (!isOnlyReload(event)) event.preventDefault()
  })
  contents.on('will-redirect', (event) => event.preventDefault())
  // The login prompt of a server or proxy would ask for a secret. `answer` without a user name cancels the
  // prompt. Without an answer, the request would wait forever.
  contents.on('login', (event, _details, _server, answer) => {
    event.preventDefault()
    answer()
  })
  // Selects no Bluetooth device. By default, the first one would be selected.
  contents.on('select-bluetooth-device', (event, _devices, choose) => {
    event.preventDefault()
    choose('')
  })
  // Blocks <webview> even if its tag were allowed.
  contents.on('will-attach-webview', (event) => event.preventDefault())
  // A window opened by the page would lack the preferences above.
  contents.setWindowOpenHandler(() => ({ action: 'deny' }))
}

/**
 * Whether a download is an export. An export has a blob URL of our page, which no other page can refer to.
 */
function isOurFile(url: string): boolean {
  return url.startsWith('blob:') && isAppUrl(url.slice('blob:'.length))
}

/**
 * Whether a URL may be requested. The app's own files are allowed. The developer tools request their own
 * page, which is allowed unless the app is packaged.
 */
function mayRequest(url: string, isPackaged: boolean): boolean {
  return isAppUrl(url) || (!isPackaged && URL.canParse(url) && new URL(url).protocol === 'devtools:')
}

import type {
  App,
  BrowserWindowConstructorOptions,
  DownloadItem,
  Session,
  WebContents,
  WebPreferences,
} from 'electron'
import { isAppUrl } from './app-scheme.ts'

/** What the window may do, each with its reason. Nothing here is needed on a good day. */
export function windowPreferences(preloadPath: string, isPackaged: boolean): WebPreferences {
  return {
    preload: preloadPath,
    // The page's process has no rights of its own even if the page is taken over.
    sandbox: true,
    // The preload's functions cannot be replaced under its feet by the page.
    contextIsolation: true,
    // The page has no `require`, in the window or in anything it starts.
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    // Same-origin rules and mixed-content rules stay on.
    webSecurity: true,
    allowRunningInsecureContent: false,
    experimentalFeatures: false,
    // A <webview> would be a second, unguarded window.
    webviewTag: false,
    // Dropping a file on a window navigates to it.
    navigateOnDragDrop: false,
    // Its dictionaries are fetched from the network.
    spellcheck: false,
    // A console is a way to paste an attacker's script; people who build the app need one.
    devTools: !isPackaged,
  } satisfies BrowserWindowConstructorOptions['webPreferences']
}

/** The window asks for no permission and loads nothing but itself. */
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
  // Camera, clipboard reading, notifications and the rest: asked for by nobody, so given to nobody.
  session.setPermissionRequestHandler((_contents, permission, decide, { isMainFrame, requestingUrl }) =>
    decide(mayUse(permission, isMainFrame, requestingUrl)),
  )
  // The synchronous question of the same kind, which the request handler does not see.
  session.setPermissionCheckHandler((_contents, permission, requestingOrigin, { isMainFrame }) =>
    mayUse(permission, isMainFrame, requestingOrigin),
  )
  // Screens and their sound: without an answer of ours Electron gives none; said here, so that it stays so.
  session.setDisplayMediaRequestHandler(null)
  // HID, serial and USB devices.
  session.setDevicePermissionHandler(() => false)
  // Behind the CSP: even a page that escaped it reaches no network from here.
  session.webRequest.onBeforeRequest(({ url }, decide) => decide({ cancel: !mayRequest(url, isPackaged) }))
  // A file that our own page made is saved where a person says; any other download is somebody else's idea.
  session.on('will-download', (event, item) => {
    if (isOurFile(item.getURL())) nameDownload(item)
    else event.preventDefault()
  })
}

/**
 * Copying a request's id by its button: plain text that our own page writes, after a person's click.
 * Reading the clipboard is another permission, and stays refused.
 */
function mayUse(permission: string, isMainFrame: boolean, url: string): boolean {
  return permission === 'clipboard-sanitized-write' && isMainFrame && isAppUrl(url)
}

/** Every page that ever comes to be in this app, also one nobody planned. To be called before Electron is ready. */
export function hardenContents(app: Pick<App, 'on' | 'enableSandbox'>): void {
  // Also for a window whose preferences forget it.
  app.enableSandbox()
  app.on('web-contents-created', (_event, contents) => hardenOne(contents))
}

function hardenOne(contents: WebContents): void {
  // The window is one page: a link that leads anywhere is a mistake or an attack. It may load itself again.
  const isOnlyReload = ({ url, isMainFrame }: { readonly url: string; readonly isMainFrame: boolean }) =>
    isMainFrame && isAppUrl(url) && url === contents.getURL()
  contents.on('will-navigate', (event) => {
    if (!isOnlyReload(event)) event.preventDefault()
  })
  // The same for frames in it, of which there are none.
  contents.on('will-frame-navigate', (event) => {
    if (!isOnlyReload(event)) event.preventDefault()
  })
  // A server that answers elsewhere than it was asked.
  contents.on('will-redirect', (event) => event.preventDefault())
  // A password prompt of a server or proxy: nothing of ours asks for one, and the answer would be a secret. An answer
  // without a name cancels it; without any answer the request would wait for ever.
  contents.on('login', (event, _details, _server, answer) => {
    event.preventDefault()
    answer()
  })
  // USB, serial and Bluetooth choosers: none is offered, so the first device is not taken either.
  contents.on('select-bluetooth-device', (event, _devices, choose) => {
    event.preventDefault()
    choose('')
  })
  // Even where the tag were allowed.
  contents.on('will-attach-webview', (event) => event.preventDefault())
  // A window we did not make has none of the preferences above.
  contents.setWindowOpenHandler(() => ({ action: 'deny' }))
}

/** An export: bytes of our page's own memory, which nobody else can name. */
function isOurFile(url: string): boolean {
  return url.startsWith('blob:') && isAppUrl(url.slice('blob:'.length))
}

/** The developer tools are a page of their own, made of requests. */
function mayRequest(url: string, isPackaged: boolean): boolean {
  return isAppUrl(url) || (!isPackaged && URL.canParse(url) && new URL(url).protocol === 'devtools:')
}

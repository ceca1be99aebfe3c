import type { Mutant } from './registry.ts'

const HARDENING = 'main/hosts/desktop/hardening.ts'
const HARDENING_TEST = 'main/hosts/desktop/hardening.test.ts'
const PACKAGES = 'electron-builder.yml'
const PACKAGING_TEST = 'desktop/packaging.test.ts'

type Switch = readonly [what: string, find: string, replace: string]

/** One of the window's preferences, or of what every page is held to. */
const PAGE_SWITCHES: readonly Switch[] = [
  ['give the page a process without a sandbox', '    sandbox: true,', '    sandbox: false,'],
  ['give the sandbox only to pages whose preferences ask for it', '  app.enableSandbox()\n', ''],
  [
    'share a world between the page and the preload script',
    'contextIsolation: true,',
    'contextIsolation: false,',
  ],
  ['give the page Node', 'nodeIntegration: false,', 'nodeIntegration: true,'],
  ['give the page’s workers Node', 'nodeIntegrationInWorker: false,', 'nodeIntegrationInWorker: true,'],
  ['give frames of the page Node', 'nodeIntegrationInSubFrames: false,', 'nodeIntegrationInSubFrames: true,'],
  ['turn the rules between origins off', 'webSecurity: true,', 'webSecurity: false,'],
  [
    'let a page over TLS load scripts without',
    'allowRunningInsecureContent: false,',
    'allowRunningInsecureContent: true,',
  ],
  ['turn on what Chromium still tries out', 'experimentalFeatures: false,', 'experimentalFeatures: true,'],
  [
    'turn on features of Blink by name',
    '    experimentalFeatures: false,',
    "    experimentalFeatures: false,\n    enableBlinkFeatures: 'PrivateNetworkAccess',",
  ],
  ['allow windows inside the page', 'webviewTag: false,', 'webviewTag: true,'],
  [
    'let a window inside the page be attached',
    "contents.on('will-attach-webview', (event) => event.preventDefault())",
    "contents.on('will-attach-webview', () => {})",
  ],
  ['go to a file that is dropped on the window', 'navigateOnDragDrop: false,', 'navigateOnDragDrop: true,'],
  ['give a packaged window a console', 'devTools: !isPackaged,', 'devTools: isPackaged || !isPackaged,'],
  [
    'grant every permission to the own page',
    "permission === 'clipboard-sanitized-write' &&",
    "permission !== '' &&",
  ],
  [
    'grant what it has to every frame and site',
    '&& isMainFrame && isAppUrl(url)',
    "&& (isMainFrame || url !== '')",
  ],
  [
    'show the page every device',
    'setDevicePermissionHandler(() => false)',
    'setDevicePermissionHandler(() => true)',
  ],
  [
    'let the page take the first Bluetooth device',
    "    choose('')\n",
    "    choose(_devices[0]?.deviceId ?? '')\n",
  ],
  [
    'let the page navigate',
    "contents.on('will-navigate', (event) => {\n    if (!isOnlyReload(event)) event.preventDefault()\n",
    "contents.on('will-navigate', () => {\n",
  ],
  [
    'let a frame in the page navigate',
    "contents.on('will-frame-navigate', (event) => {\n    if (!isOnlyReload(event)) event.preventDefault()\n",
    "contents.on('will-frame-navigate', () => {\n",
  ],
  [
    'follow a redirect',
    "contents.on('will-redirect', (event) => event.preventDefault())",
    "contents.on('will-redirect', () => {})",
  ],
  [
    'ask for a password that a server or a proxy wants',
    "contents.on('login', (event, _details, _server, answer) => {\n    event.preventDefault()\n",
    "contents.on('login', (_event, _details, _server, answer) => {\n",
  ],
  [
    'leave a password prompt without an answer',
    '    event.preventDefault()\n    answer()\n',
    '    event.preventDefault()\n    void answer\n',
  ],
  [
    'forbid a page to load itself again',
    'isMainFrame && isAppUrl(url) && url ===',
    'isMainFrame && !isAppUrl(url) && url ===',
  ],
  [
    'let the page open windows',
    "setWindowOpenHandler(() => ({ action: 'deny' }))",
    "setWindowOpenHandler(() => ({ action: 'allow' }))",
  ],
  [
    'let the page reach the network',
    'decide({ cancel: !mayRequest(url, isPackaged) })',
    "decide({ cancel: !mayRequest(url, isPackaged) && !url.startsWith('http') })",
  ],
  [
    'save whatever a page offers',
    'if (isOurFile(item.getURL())) nameDownload(item)',
    "if (isOurFile(item.getURL()) || item.getURL() !== '') nameDownload(item)",
  ],
]

const FUSES: readonly Switch[] = [
  ['package a binary that is a Node for whoever finds it', 'runAsNode: false', 'runAsNode: true'],
  [
    'let NODE_OPTIONS bring code into the package',
    'enableNodeOptionsEnvironmentVariable: false',
    'enableNodeOptionsEnvironmentVariable: true',
  ],
  [
    'let a debugger into the package',
    'enableNodeCliInspectArguments: false',
    'enableNodeCliInspectArguments: true',
  ],
  [
    'give files the rights of the app',
    'grantFileProtocolExtraPrivileges: false',
    'grantFileProtocolExtraPrivileges: true',
  ],
  [
    'start a package that was changed',
    'enableEmbeddedAsarIntegrityValidation: true',
    'enableEmbeddedAsarIntegrityValidation: false',
  ],
  ['load an app that lies beside the package', 'onlyLoadAppFromAsar: true', 'onlyLoadAppFromAsar: false'],
  ['keep Chromium’s cookies in the clear', 'enableCookieEncryption: true', 'enableCookieEncryption: false'],
]

const switched = (file: string, test: string) => {
  return ([what, find, replace]: Switch): Mutant => ({ promise: 'W1', what, file, find, replace, test })
}

/** Each item of Electron's security checklist, switched off. */
export const HARDENING_MUTANTS: readonly Mutant[] = [
  ...PAGE_SWITCHES.map(switched(HARDENING, HARDENING_TEST)),
  ...FUSES.map(switched(PACKAGES, PACKAGING_TEST)),
  {
    promise: 'W1',
    what: 'open whatever address is given',
    file: 'main/hosts/desktop/open-externally.ts',
    find: 'if (!mayBeOpened(address)) throw',
    replace: "if (!mayBeOpened(address) && address === '') throw",
    test: 'main/hosts/desktop/open-externally.test.ts',
  },
  {
    promise: 'W1',
    what: 'let the page’s scheme pass by its policy',
    file: 'main/hosts/desktop/app-scheme.ts',
    find: 'privileges: { standard: true, secure: true }',
    replace: 'privileges: { standard: true, secure: true, bypassCSP: true }',
    test: 'main/hosts/desktop/app-scheme.test.ts',
  },
  {
    promise: 'W1',
    what: 'serve the page without a policy of its own',
    file: 'main/network/security-headers.ts',
    find: `    "default-src 'none'",`,
    replace: `    "default-src 'self' 'unsafe-inline'",`,
    test: 'main/hosts/desktop/app-scheme.test.ts',
  },
  {
    promise: 'W1',
    what: 'hand the page the event, and with it all of the preload’s ipc',
    file: 'main/hosts/desktop/bridge.ts',
    find: 'const relay = (_event: unknown, value: unknown) => listener(value)',
    replace:
      'const relay = (...all: unknown[]) => (listener as (...heard: unknown[]) => void)(...all.reverse())',
    test: 'main/hosts/desktop/ipc.test.ts',
  },
  {
    promise: 'W1',
    what: 'give the window a process without a sandbox, seen in the built app',
    file: HARDENING,
    find: '    sandbox: true,',
    replace: '    sandbox: false,',
    test: 'desktop/desktop-host.test.ts',
  },
  {
    promise: 'W1',
    what: 'grant every permission to the own page, seen in the built app',
    file: HARDENING,
    find: "permission === 'clipboard-sanitized-write' &&",
    replace: "permission !== '' &&",
    test: 'desktop/desktop-host.test.ts',
  },
]

import { randomBytes } from 'node:crypto'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  app,
  BrowserWindow,
  dialog,
  globalShortcut,
  ipcMain,
  Menu,
  Notification,
  nativeImage,
  powerMonitor,
  powerSaveBlocker,
  protocol,
  safeStorage,
  screen,
  session,
  shell,
  Tray,
} from 'electron'
import { type MetricsOptions, metricsChoice, otlpChoice } from '../../metrics/metrics-options.ts'
import { startOtlpPush } from '../../metrics/metrics-push.ts'
import { serveMetrics } from '../../metrics/metrics-server.ts'
import { metricsSource } from '../../metrics/metrics-source.ts'
import { nodeForwardHttp } from '../../network/forward-http.ts'
import { nodeHttp } from '../../network/http-client.ts'
import type { Keystore } from '../../ports/keystore.ts'
import { nodeClock, nodeRandom, processStartMs } from '../../ports/node-clock.ts'
import { Redactor } from '../../ports/redactor.ts'
import { defaultDataFolder, openDataFolder } from '../../storage/data-folder.ts'
import { absolute, homeFolder, thisAccount } from '../../storage/home-folder.ts'
import { lockDataFolder } from '../../storage/lock.ts'
import { fileSink, redactedLog } from '../../storage/log.ts'
import { Preferences } from '../../storage/preferences.ts'
import { createFilesPrivately } from '../../storage/private-files.ts'
import { findAppFolder } from '../app-folder.ts'
import { takenEnvironment, withSecretFiles } from '../secret-files.ts'
import { startApp } from '../start-app.ts'
import { APP_NAME } from './electron-pieces.ts'
import { electronUpdates } from './electron-updates.ts'
import { FORMER_NAMES, OPEN_AS_FLAG, openInProcess, openOnly, withFormerNames } from './former-names.ts'
import { loginItem, startedAtLogin } from './login-item.ts'
import { openExternally, openFolder } from './open-externally.ts'
import { QUIT_DRAIN_MS } from './quit.ts'
import { safeStorageKeystore } from './safe-storage-keystore.ts'
import { startDesktop } from './start-desktop.ts'
import { failToStart } from './start-failure.ts'
import { storedDesktopState } from './stored-desktop-state.ts'
import { systemRoutes } from './system-proxy.ts'
import { trayPresence } from './tray-presence.ts'

/** The entry point of the desktop host. Creates the real ports and starts the app with them. */

createFilesPrivately()

// A write to a terminal or pipe that was closed emits an error. Without a listener, it would end the app.
for (const output of [process.stdout, process.stderr]) output.on('error', () => {})

// Must be set before keys are sealed, because keyring entries have this name. In a checkout, Electron would
// use another name.
app.setName(APP_NAME)

const complain = (line: string) => void process.stderr.write(`headroom: ${line}\n`)
const hasTerminal = process.stderr.isTTY || process.stdout.isTTY
const fail = (line: string) =>
  void failToStart(line, { electron: { app, dialog }, hasTerminal, complain }).catch(() => app.exit(1))

const { values } = parseArgs({
  // The arguments after the executable and, in a checkout, after the path of this file.
  args: process.argv.slice(app.isPackaged ? 1 : 2),
  options: {
    data: { type: 'string' },
    'in-tray': { type: 'boolean' },
    'gateway-port': { type: 'string' },
    'metrics-port': { type: 'string' },
    [OPEN_AS_FLAG]: { type: 'string' },
    simulate: { type: 'boolean' },
  },
  // The command line also contains Chromium's switches, which are not declared here.
  strict: false,
})
const formerName = FORMER_NAMES.find((name) => name === values[OPEN_AS_FLAG])
if (formerName !== undefined && process.platform === 'linux') {
  void openOnly(formerName, {
    app,
    safeStorage,
    stdin: process.stdin,
    say: (text, done) => void process.stdout.write(text, done),
  })
} else begin()

function begin(): void {
  const folder = openDataFolder(typeof values.data === 'string' ? values.data : defaultDataFolder())
  const metricsPort = values['metrics-port']
  const secrets = withSecretFiles(takenEnvironment(process.env), ['HEADROOM_METRICS_TOKEN'])
  const metrics = metricsChoice(
    typeof metricsPort === 'string' ? Number(metricsPort) : undefined,
    secrets.environment,
  )
  if (secrets.problem !== undefined) fail(secrets.problem)
  else if (folder.kind === 'unusable') fail(folder.line)
  else if (metrics.kind === 'unusable') fail(metrics.line)
  else start(folder.path, metrics.kind === 'on' ? metrics.options : undefined)
}

function start(dataFolder: string, metricsOptions: MetricsOptions | undefined): void {
  const secrets = new Redactor()
  const log = redactedLog(secrets, nodeClock.wallMs, fileSink(dataFolder, complain))
  const built = dirname(import.meta.dirname)
  const { version, path: appFolder } = findAppFolder(import.meta.filename)
  const { XDG_CONFIG_HOME, APPIMAGE } = process.env
  startDesktop({
    electron: {
      app,
      BrowserWindow,
      dialog,
      globalShortcut,
      Menu,
      nativeImage,
      Notification,
      powerMonitor,
      powerSaveBlocker,
      protocol,
      screen,
      session,
      shell,
      Tray,
    },
    platform: process.platform,
    version,
    windowFolder: join(built, 'window'),
    preloadPath: join(built, 'desktop', 'preload.cjs'),
    ...(process.platform !== 'darwin' && { iconPath: join(built, 'desktop', 'icon.png') }),
    tray: trayPresence({ platform: process.platform, environment: process.env }),
    dataFolder,
    state: storedDesktopState({ dataFolder, ipcMain, log, wallMs: nodeClock.wallMs }),
    loginItem: loginItem({
      app,
      platform: process.platform,
      configFolder: absolute(XDG_CONFIG_HOME) ?? join(homeFolder(thisAccount()) ?? dataFolder, '.config'),
      executable: APPIMAGE || process.execPath,
    }),
    updater: electronUpdates({
      isPackaged: app.isPackaged,
      platform: process.platform,
      resources: process.resourcesPath,
      packageFile: join(appFolder, 'package.json'),
      load: async () => (await import('electron-updater')).autoUpdater,
    }),
    inTray: values['in-tray'] === true || startedAtLogin({ app, platform: process.platform }),
    process,
    clock: nodeClock,
    randomBytes,
    log,
    startApp: async ({ announcer }) => {
      const lock = lockDataFolder(dataFolder, { pid: process.pid, host: 'desktop' })
      if (lock.kind !== 'held') throw new Error(lock.line)
      const preferences = new Preferences(dataFolder, nodeClock.wallMs(), (sentence) => log.note(sentence))
      const resolveProxy = (url: string) => session.defaultSession.resolveProxy(url)
      const routes = systemRoutes(resolveProxy, process.env)
      const http = nodeHttp(process.env, routes)
      const gatewayPort = values['gateway-port']
      const running = await startApp({
        dataFolder,
        ports: { clock: nodeClock, random: nodeRandom, http, log, secrets },
        hello: { version, host: 'desktop' },
        announcer,
        keystore: foundByName(
          safeStorageKeystore({
            safeStorage,
            platform: process.platform,
            clock: nodeClock,
            mayBeUnprotected: () => preferences.read().storeUnprotected,
          }),
        ),
        keepConsent: () => preferences.change({ storeUnprotected: true }),
        startsOver: true,
        simulate: values.simulate === true,
        forward: nodeForwardHttp(process.env, routes),
        ...(typeof gatewayPort === 'string' && { gatewayPort: Number(gatewayPort) }),
        drainMs: QUIT_DRAIN_MS,
        showFolder: openFolder(shell),
        openUrl: openExternally(shell, {
          platform: process.platform,
          folder: dataFolder,
          clock: nodeClock,
          randomBytes,
        }),
      })
      const { gateway } = running
      // The app starts even if the gateway's port is in use.
      if (gateway.summary.state === 'failed') complain(`the gateway can't serve: ${gateway.summary.why}`)
      if (gateway.summary.state === 'serving') process.stdout.write(`gateway ready: ${gateway.summary.url}\n`)
      const facts = { version, startedMs: processStartMs }
      const served =
        metricsOptions && (await serveMetrics(metricsSource(running.monitor, facts), metricsOptions))
      // The app starts even if the metrics port is in use.
      if (served?.kind === 'failed') complain(served.line)
      if (served?.kind === 'serving') process.stdout.write(`metrics ready: ${served.url}\n`)
      const otlp = otlpChoice(process.env)
      const say = (line: string) => log.note(line)
      if (otlp.kind === 'unusable') complain(otlp.line)
      const pushed =
        otlp.kind === 'on'
          ? await startOtlpPush(running.monitor, otlp.options, { clock: nodeClock, process: facts, say })
          : undefined
      return {
        windows: running.windows,
        monitor: running.monitor,
        switches: running.switches,
        flush: () => running.history.flush(),
        stop: async () => {
          if (served?.kind === 'serving') await served.close()
          // The last push starts now, because `stop` removes the final state.
          const lastPush = pushed?.close()
          await running.stop()
          await lastPush
          lock.release()
        },
      }
    },
  }).catch((error: unknown) => fail(error instanceof Error ? error.message : String(error)))
}

/**
 * Makes a keystore try the app's former names too, but only on Linux.
 *
 * Linux keyrings find an entry by its name, and any of the person's programs can open any entry. On macOS,
 * only the app can open its entry. With `--open-as` on macOS, any program could start the app and get the key
 * from it.
 */
function foundByName(keystore: Keystore): Keystore {
  if (process.platform !== 'linux') return keystore
  const args = app.isPackaged ? [] : [...process.execArgv, import.meta.filename]
  return withFormerNames(keystore, openInProcess(process.execPath, args))
}

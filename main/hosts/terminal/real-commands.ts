import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { constants } from 'node:os'
import { join, resolve } from 'node:path'
import { DEFAULT_GATEWAY_PORT, GATEWAY_KEYS } from '../../../app/contract/programs.ts'
import { askRunning } from '../../control/ask-running.ts'
import type { ControlRequest } from '../../control/protocol.ts'
import { socketOf } from '../../control/socket-path.ts'
import type { OtlpOptions } from '../../metrics/metrics-options.ts'
import { claimMetrics, serveMetrics } from '../../metrics/metrics-server.ts'
import { metricsSource } from '../../metrics/metrics-source.ts'
import type { MonitorPorts } from '../../monitor/monitor.ts'
import type { MonitorSurface } from '../../monitor/monitor-surface.ts'
import { nodeHttp } from '../../network/http-client.ts'
import { nodeClock, nodeRandom, processStartMs } from '../../ports/node-clock.ts'
import type { Log, OpenUrl } from '../../ports/ports.ts'
import { Redactor } from '../../ports/redactor.ts'
import { openByFile } from '../../storage/address-file.ts'
import { defaultDataFolder, openDataFolder } from '../../storage/data-folder.ts'
import { lockDataFolder } from '../../storage/lock.ts'
import { fileSink, redactedLog } from '../../storage/log.ts'
import { checkPreferences } from '../../storage/preferences.ts'
import { restoreFileMask } from '../../storage/private-files.ts'
import { ShownTimes } from '../../storage/shown-times.ts'
import type { AppFolder } from '../app-folder.ts'
import { discardedEnd, type NodeTerminal } from './node-terminal.ts'
import type { Commands } from './program.ts'
import { revoke } from './revoke-command.ts'
import { runBrowser } from './run-browser.ts'
import { CONTROL_SECRET, secretProblem, simulate } from './simulate-command.ts'
import { type HostArguments, hasDisplay, start } from './start-command.ts'
import { status } from './status-command.ts'
import { EXIT_FAILURE, EXIT_PERSON_NEEDED, failWith, type Terminal } from './terminal.ts'
import { watch } from './watch-command.ts'

/**
 * Creates the commands with real ports. A module that only one command needs is loaded when that command
 * runs.
 */
export function realCommands(terminal: NodeTerminal, app: AppFolder): Commands {
  const http = nodeHttp(process.env)
  const ask = (dataFolder: string, request: ControlRequest) =>
    askRunning(request, {
      clock: nodeClock,
      path: socketOf(dataFolder, process.env),
      userId: process.getuid?.(),
    })
  const canOpen = hasDisplay(process.platform, terminal.environment)
  const facts = { version: app.version, startedMs: processStartMs }
  // An empty passphrase counts as absent.
  const passphrase = terminal.environment['HEADROOM_PASSPHRASE'] || undefined
  const portsWith = (log: Log): MonitorPorts => ({ clock: nodeClock, random: nodeRandom, http, log })

  /** The ports that several commands use. */
  const shared = {
    terminal,
    defaultDataFolder,
    askRunning: ask,
    clock: nodeClock,
    nowMs: nodeClock.wallMs,
    version: app.version,
    written: async () => discardedEnd(process.stdout.fd) ?? (await terminal.written()),
    showTimesOf: (folder: string): void => void new ShownTimes(folder, nodeClock.wallMs(), terminal.error),
    pushMetrics: async (monitor: MonitorSurface, options: OtlpOptions) => {
      const { startOtlpPush } = await import('../../metrics/metrics-push.ts')
      return startOtlpPush(monitor, options, { clock: nodeClock, process: facts, say: terminal.error })
    },
  }

  /** The programs in the environment. If they can't be used, prints the reason and returns `undefined`. */
  const programsGiven = async () => {
    const { givenPrograms } = await import('../../gateway/given-programs.ts')
    const given = givenPrograms(terminal.environment[GATEWAY_KEYS])
    if (given.kind === 'given') return given.programs
    terminal.error(given.line)
    return undefined
  }

  const storedKeys = passphrase !== undefined && {
    openStored: async (folder: string) => {
      const { openStoredKeys } = await import('./stored-keys.ts')
      return openStoredKeys(folder, passphrase, { clock: nodeClock, random: nodeRandom, http })
    },
  }

  const watchFor = async (flags: Parameters<typeof watch>[0]): Promise<number> => {
    const { watchHistory } = await import('./watch-history.ts')
    const { Monitor } = await import('../../monitor/monitor.ts')
    const { LazyDesks, snoozeOf } = await import('../lazy-desks.ts')
    const { hostedGateway } = await import('../hosted-gateway.ts')
    const { nodeForwardHttp } = await import('../../network/forward-http.ts')
    const { mayHoldKeys } = await import('../../vault/vault-file.ts')
    const log: Log = { note: () => {} }
    const secrets = new Redactor()
    for (const { key } of flags.gateway?.given ?? []) secrets.hide(key)
    return watch(flags, {
      ...shared,
      createMonitor: () => new Monitor(portsWith(log)),
      mayHoldKeys,
      openVault: async (folder, words) => {
        const { openWatchVault } = await import('./watch-vault.ts')
        const open = () => openWatchVault(folder, words, portsWith(log))
        // Even a weak passphrase opens a vault that was sealed with it, so opening does not wait for the
        // check. Both take equally long, so they run in parallel.
        const opened = mayHoldKeys(folder) ? open() : undefined
        const { checkPassphrase } = await import('./passphrase-check.ts')
        const { kind, line } = checkPassphrase(folder, words)
        if (kind === 'too-weak' && opened === undefined) return { kind: 'failed', line, needsPerson: true }
        const opening = await (opened ?? open())
        // The line about the passphrase is printed only if the vault is open, and has a key or will get one.
        // If the vault did not open, the reason is more important.
        const stores = kind === 'weak' || terminal.environment['HEADROOM_REFRESH_TOKEN']
        if (opening.kind === 'open' && line !== undefined && stores) terminal.error(line)
        return opening
      },
      startBuiltIn: async () => {
        const { startBuiltIn } = await import('../demonstration.ts')
        return startBuiltIn()
      },
      createGateway: ({ given, reserve }, monitor, home) =>
        hostedGateway({
          ...{ given, reserve, monitor, log, secrets, randomBytes, clock: nodeClock },
          forward: nodeForwardHttp(process.env),
          problem: terminal.error,
          dataFolder: home?.dataFolder,
          isGone: home?.isGone ?? (() => false),
          keysFor: home?.keysFor ?? (() => []),
        }),
      createDesks: (monitor, store, alerts) =>
        new LazyDesks({
          ...{ ...portsWith(log), monitor, store, secrets, problem: terminal.error },
          person: { lookedAtMs: () => undefined, snooze: snoozeOf(alerts) },
        }),
      recordHistory: (monitor, announcer, dataFolder, served) =>
        watchHistory({
          ...{ monitor, announcer, dataFolder, log, ...served },
          environment: process.env,
          clock: nodeClock,
          version: app.version,
          problem: terminal.error,
        }),
      serveMetrics: (monitor, options) => serveMetrics(metricsSource(monitor, facts), options),
    })
  }

  return {
    start: (flags) =>
      start(flags, {
        ...shared,
        openDataFolder,
        lock: (folder) => lockDataFolder(folder, { pid: process.pid, host: 'browser' }),
        findDesktop: async () => {
          const { findDesktop } = await import('./find-runtime.ts')
          return findDesktop()
        },
        runDesktop: (electronPath, args) => runDesktop(electronPath, app.path, args, terminal),
        runBrowser: async (args) => {
          checkPreferences(args.dataFolder, nodeClock.wallMs(), terminal.error)
          const check =
            passphrase === undefined
              ? undefined
              : (await import('./passphrase-check.ts')).checkPassphrase(args.dataFolder, passphrase)
          if (check?.line !== undefined && check.kind !== 'new') terminal.error(check.line)
          if (check?.kind === 'too-weak') return EXIT_PERSON_NEEDED
          const given = await programsGiven()
          if (given === undefined) return EXIT_PERSON_NEEDED
          const controlSecret = terminal.environment[CONTROL_SECRET]
          const weakness = secretProblem(controlSecret)
          if (weakness !== undefined) return failWith(terminal, weakness, EXIT_PERSON_NEEDED)
          const { startApp } = await import('../start-app.ts')
          const { passphraseKeystore } = await import('../../vault/passphrase-keystore.ts')
          const { startBrowserHost } = await import('../browser/browser-host.ts')
          const { claimPort } = await import('../../network/loopback-servers.ts')
          const secrets = new Redactor()
          if (passphrase !== undefined) secrets.hide(passphrase)
          for (const { key } of given) secrets.hide(key)
          if (controlSecret) secrets.hide(controlSecret)
          const log = redactedLog(secrets, nodeClock.wallMs, fileSink(args.dataFolder, terminal.error))
          return runBrowser(args, {
            ...{ ...shared, claimPort, claimMetrics, facts },
            startApp: async ({ dataFolder, hostReason, open, simulate: simulated, gatewayPort }) => {
              const running = await startApp({
                dataFolder,
                ports: { ...portsWith(log), secrets },
                hello: {
                  version: app.version,
                  host: 'browser',
                  ...(hostReason !== undefined && { hostReason }),
                },
                ...(open && canOpen && { openUrl: openUrl(dataFolder) }),
                ...(passphrase !== undefined && { keystore: passphraseKeystore(passphrase) }),
                simulate: simulated,
                ...(controlSecret && { simulatorControl: controlSecret }),
                ...(gatewayPort !== undefined && { gatewayPort }),
                givenPrograms: given,
              })
              // Printed only now, because the vault might not have been created.
              if (check?.kind === 'new' && running.keeps === 'sealed') terminal.error(check.line)
              return running
            },
            serve: ({ windows, admitted }, port, ready) =>
              startBrowserHost({
                windows,
                admitted,
                windowFolder: join(app.path, 'dist', 'window'),
                port,
                clock: nodeClock,
                randomBytes,
                log,
                ready,
              }),
            ...(canOpen && { openUrl }),
          })
        },
      }),

    watch: async (flags) => watchFor(flags),

    gateway: async (turn, flags) => {
      if (turn !== undefined) {
        const { gateway } = await import('./gateway-commands.ts')
        return gateway(turn, flags, shared)
      }
      const { port = DEFAULT_GATEWAY_PORT, reserve = {}, ...watched } = flags
      const given = await programsGiven()
      if (given === undefined) return EXIT_PERSON_NEEDED
      return watchFor({ ...watched, gateway: { port, reserve, given } })
    },

    program: async (action, name, flags) => {
      const { program } = await import('./gateway-commands.ts')
      const { answerStored } = await import('./stored-programs.ts')
      const ports = { clock: nodeClock, randomBytes, problem: terminal.error }
      return program({ action, name }, flags, {
        ...shared,
        answerStored: (folder, request) => answerStored(folder, request, ports),
      })
    },

    orders: async (action, id, flags) => {
      const { orders } = await import('./orders-command.ts')
      const { stopStored } = await import('./stored-orders.ts')
      return orders({ action, id }, flags, {
        ...shared,
        stopStored: (folder, profile) => stopStored(folder, profile, nodeClock.wallMs),
      })
    },

    desk: async (action, flags) => {
      const { desk } = await import('./desk-command.ts')
      const { storedDeskCommands } = await import('../../desk/desk-service.ts')
      return desk(action, flags, {
        ...{ ...shared, ...storedKeys, absolutePath: resolve },
        commandsOf: ({ desks, keyOf }) =>
          storedDeskCommands(
            { store: desks, keyOf, secrets: new Redactor() },
            { clock: nodeClock, random: nodeRandom },
          ),
      })
    },

    status: (flags) => status(flags, shared),

    export: async (flags) => {
      const { exportHistory } = await import('./export-command.ts')
      const { openSeriesFile } = await import('../../history/series-file.ts')
      const { openStoredJournal } = await import('../../orders/journal-file.ts')
      return exportHistory(flags, {
        ...shared,
        openSeries: openSeriesFile,
        openOrders: openStoredJournal,
        parquet: () => import('../../history/parquet-files.ts'),
      })
    },

    plan: async (file, flags) => {
      const { plan } = await import('./plan-command.ts')
      const { openSeriesFile } = await import('../../history/series-file.ts')
      return plan(file, flags, { ...shared, openSeries: openSeriesFile })
    },

    simulate: async (flags) => {
      const { startSimulatorServer } = await import('../../simulator/server.ts')
      return simulate(flags, {
        terminal,
        start: (options, port) => startSimulatorServer({ ...options, port, signedIdTokens: true }),
      })
    },

    revoke: async (flags) => {
      const { revokeTokens } = await import('../../tokens/key-revocation.ts')
      return revoke(flags, {
        ...{ ...shared, ...storedKeys },
        revokeTokens: ({ refreshToken, ...key }) => revokeTokens(http, key, refreshToken),
      })
    },
  }
}

const openUrl = (folder: string): OpenUrl =>
  openByFile({
    folder,
    clock: nodeClock,
    randomBytes,
    openFile: async (path) => {
      const { default: open } = await import('open')
      const started = restoreFileMask()
      await open(path).finally(started)
    },
  })

/** Runs the desktop host as a child process and exits with its code. */
function runDesktop(
  electronPath: string,
  appFolder: string,
  { dataFolder, simulate, metrics, gatewayPort }: HostArguments,
  terminal: Terminal,
): Promise<number> {
  const main = join(appFolder, 'dist', 'desktop', 'main.js')
  // The metrics bearer is a secret. It is in the child's environment and not in a flag.
  const metricsPort = metrics === undefined ? [] : ['--metrics-port', String(metrics.port)]
  const gateway = gatewayPort === undefined ? [] : ['--gateway-port', String(gatewayPort)]
  const args = [main, '--data', dataFolder, ...(simulate ? ['--simulate'] : []), ...metricsPort, ...gateway]
  // These variables are not passed to the desktop host. ELECTRON_RUN_AS_NODE, which some editors set in their
  // terminals, would turn Electron into plain Node. The passphrase is not needed, because the desktop host
  // uses the system's keyring. The other three secrets are for other commands.
  const {
    ELECTRON_RUN_AS_NODE: _,
    HEADROOM_PASSPHRASE: __,
    [GATEWAY_KEYS]: ___,
    HEADROOM_DESK_INVITATION: ____,
    HEADROOM_DESK_CREDENTIALS: _____,
    ...environment
  } = terminal.environment
  // Starts the desktop host with the original umask. The host sets its own umask, but needs the original one
  // for a browser that it opens.
  const started = restoreFileMask()
  const child = spawn(electronPath, args, { stdio: 'inherit', env: environment })
  started()
  const cancel = terminal.onStop(() => child.kill('SIGTERM'))
  return new Promise((resolve) => {
    child.on('error', (error) => {
      cancel()
      terminal.error(`the desktop window cannot be started: ${error.message}`)
      resolve(EXIT_FAILURE)
    })
    child.on('exit', (code, signal) => {
      cancel()
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]))
    })
  })
}

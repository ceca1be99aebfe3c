#!/usr/bin/env node
/**
 * The launcher behind `headroom` and every npm script, in plain JavaScript for any version of Node.
 *
 * Hands over to a Node that is new enough, ensures that the build exists, and imports it. Writes nothing to
 * stdout: `watch --json` promises only JSON there.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const MIN_NODE_MAJOR = 24
const BUILD_WAIT_MS = 180_000
const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK']

const appFolder = dirname(dirname(fileURLToPath(import.meta.url)))
const require = createRequire(import.meta.url)

function fail(line) {
  process.stderr.write(`headroom: ${line}\n`)
  process.exit(1)
}

// By default, Node opens its inspector on this signal. Every program of the machine could then read all
// memory.
if (process.platform !== 'win32') process.on('SIGUSR1', () => {})

// Without a working folder, resolving any relative path would throw.
try {
  process.cwd()
} catch {
  fail('the working folder was deleted; change to another one')
}

// Node reads NODE_DEBUG before any script runs, and then prints each request with its token.
if (process.env.NODE_DEBUG) fail('unset NODE_DEBUG: with it, Node prints tokens')

const nodeMajor = Number(process.versions.node.split('.')[0])
if (nodeMajor >= MIN_NODE_MAJOR) await run()
else handOver()

/**
 * Runs the launcher again with the Node in the npm package `node`. npm scripts already run with that Node. A
 * plain `node` command does not.
 */
function handOver() {
  const newer = newerNode()
  if (newer === undefined || process.env.HEADROOM_HANDED_OVER) {
    // With this flag, npm 10 and npm 11 run the install script of the package `node`, even if a person has
    // disabled install scripts.
    const install = isSourceCheckout()
      ? `in ${appFolder} run: npm install --ignore-scripts=false`
      : 'run: npm install --global --ignore-scripts=false ./headroom-*.tgz'
    fail(
      `needs Node ${MIN_NODE_MAJOR} or newer; this is ${process.version}. ` +
        `Install Node ${MIN_NODE_MAJOR}, or to use the one that npm installs, ${install}`,
    )
  }
  const child = spawn(newer, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, HEADROOM_HANDED_OVER: '1' },
  })
  for (const signal of FORWARDED) {
    if (signal in constants.signals) process.on(signal, () => child.kill(signal))
  }
  child.on('error', (error) => fail(`cannot run ${newer}: ${error.message}`))
  child.on('exit', (code, signal) => {
    process.exit(code ?? 128 + (constants.signals[signal] ?? 0))
  })
}

function newerNode() {
  try {
    const folder = join(dirname(require.resolve('node/package.json')), 'bin')
    return [join(folder, 'node.exe'), join(folder, 'node')].find((file) => existsSync(file))
  } catch {
    return undefined // an optional dependency without a binary for some platforms
  }
}

async function run() {
  if (process.env.HEADROOM_HANDED_OVER) endWithLauncher()
  delete process.env.HEADROOM_HANDED_OVER
  if (isSourceCheckout()) await ensureBuilt()
  await import(pathToFileURL(join(appFolder, 'dist', 'hosts', 'headroom.js')).href)
}

/**
 * Ends this process when the launcher ends. A killed launcher forwards no signal, but its end of the IPC
 * channel closes.
 */
function endWithLauncher() {
  process.channel?.unref()
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
}

/**
 * Whether this is a source checkout. An installed package contains `dist/` without sources, so there is
 * nothing to build.
 */
function isSourceCheckout() {
  return ['vite.config.ts', 'main/hosts/terminal/headroom.ts'].every((file) =>
    existsSync(join(appFolder, file)),
  )
}

async function ensureBuilt() {
  const { isBuilt, sourceFingerprint } = await import(
    pathToFileURL(join(appFolder, 'main', 'packaging', 'build-stamp.js')).href
  )
  const isFresh = () => isBuilt(appFolder, sourceFingerprint(appFolder))
  if (isFresh()) return
  const release = await takeBuildLock()
  try {
    // While this process waited for the lock, another process may have built, or the sources may have
    // changed.
    if (isFresh()) return
    process.stderr.write('building Headroom (a few seconds, once) …\n')
    await build()
  } finally {
    release()
  }
}

/**
 * Prevents two starts from building into one `dist/` at the same time. A SQLite lock is released when the
 * process that holds it ends. So it can't be stale, unlike a pid file or a lock folder.
 */
async function takeBuildLock() {
  const { DatabaseSync } = await import('node:sqlite')
  const folder = join(appFolder, 'node_modules', '.cache', 'headroom')
  try {
    mkdirSync(folder, { recursive: true })
    const database = new DatabaseSync(join(folder, 'build-lock.db'))
    database.exec(`PRAGMA busy_timeout = ${BUILD_WAIT_MS}; BEGIN EXCLUSIVE`)
    return () => database.close()
  } catch (error) {
    const busy = error instanceof Error && error.errcode === 5
    return fail(
      busy
        ? `another process has been building for ${BUILD_WAIT_MS / 1000} s; stop it and try again`
        : `cannot prepare the build in ${folder}: ${error.message}`,
    )
  }
}

/**
 * The environment for a build, without Headroom's variables. They contain secrets, and a build runs the code
 * of every package it uses.
 */
function withoutSecrets(environment) {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('HEADROOM_')))
}

/** Runs the build. Its output goes to stderr if it fails, and nowhere otherwise. */
async function build() {
  let vite
  try {
    vite = join(dirname(require.resolve('vite/package.json')), 'bin', 'vite.js')
  } catch {
    fail(`run "npm install" in ${appFolder} first`)
  }
  const config = join(appFolder, 'vite.config.ts')
  const child = spawn(process.execPath, [vite, 'build', '--config', config, '--logLevel', 'warn'], {
    cwd: appFolder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: withoutSecrets(process.env),
  })
  const said = []
  child.stdout.on('data', (bytes) => said.push(bytes))
  child.stderr.on('data', (bytes) => said.push(bytes))
  const forward = (signal) => {
    child.kill(signal)
    process.exit(128 + constants.signals[signal])
  }
  process.once('SIGINT', forward).once('SIGTERM', forward)
  const code = await new Promise((done) => {
    child.on('error', () => done(1))
    child.on('close', done)
  })
  process.off('SIGINT', forward).off('SIGTERM', forward)
  if (code !== 0) {
    process.stderr.write(Buffer.concat(said))
    fail('the build failed')
  }
}

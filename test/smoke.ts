import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

/**
 * Does what a person does first: `npm start` until a row is live, then `npm run watch`.
 *
 * Run by .ci/run. It uses npm and its shell on purpose, because that is where a first start may fail.
 */
const LIMIT_MS = 60_000
const root = fileURLToPath(new URL('..', import.meta.url))
const say = (line: string) => void process.stdout.write(`smoke: ${line}\n`)

const session = z.object({ bearer: z.string() })
const snapshots = z.object({
  value: z.array(z.object({ requests: z.array(z.object({ category: z.string(), source: z.string() })) })),
})
const watchLine = z.object({ type: z.enum(['snapshot', 'event']) })

const npm = (args: readonly string[]): ChildProcess =>
  spawn('npm', args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 2],
    // A separate process group, because npm does not pass every signal on to the programs that its shell
    // runs.
    detached: true,
    env: { ...process.env, DISPLAY: '', WAYLAND_DISPLAY: '' },
  })

await smokeStart()
await smokeWatch()
say('fine')

async function smokeStart(): Promise<void> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'headroom-smoke-'))
  say('npm start -- --host auto --no-open --port 0')
  const child = npm(['start', '--', '--host', 'auto', '--no-open', '--port', '0', '--data', dataFolder])
  try {
    const url = new URL(await lineAfter(child, 'headroom ready: '))
    say(`ready at ${url.origin}`)
    const page = await fetch(url.origin)
    if (page.status !== 200) throw new Error(`GET / was answered ${page.status}`)
    const { bearer } = session.parse(
      await post(url, '/api/session', { code: url.hash.slice('#code='.length) }),
    )
    const live = await liveCategory(url, bearer)
    say(`the page is served, and ${live} is live`)
  } finally {
    await stop(child)
    rmSync(dataFolder, { recursive: true, force: true })
  }
}

/** The first category whose number came from a header. */
async function liveCategory(url: URL, bearer: string): Promise<string> {
  for (const end = Date.now() + LIMIT_MS; Date.now() < end; await wait(250)) {
    const { value } = snapshots.parse(await post(url, '/api/command/snapshots', undefined, bearer))
    const live = value.flatMap(({ requests }) => requests).find(({ source }) => source === 'header')
    if (live !== undefined) return live.category
  }
  throw new Error('no row became live')
}

async function smokeWatch(): Promise<void> {
  say('npm run watch -- --json --for 5')
  const child = npm(['run', '--silent', 'watch', '--', '--json', '--for', '5'])
  const counts = { snapshot: 0, event: 0 }
  if (child.stdout === null) throw new Error('no stdout')
  const exited = exitCodeOf(child)
  for await (const line of createInterface({ input: child.stdout })) {
    counts[watchLine.parse(JSON.parse(line)).type] += 1
  }
  const exitCode = await exited
  if (exitCode !== 0) throw new Error(`watch ended with ${exitCode}`)
  if (counts.snapshot < 5) throw new Error(`only ${counts.snapshot} snapshots in 5 s`)
  say(`${counts.snapshot} snapshots and ${counts.event} events, exit 0`)
}

async function post(url: URL, path: string, body: unknown, bearer?: string): Promise<unknown> {
  const response = await fetch(new URL(path, url.origin), {
    method: 'POST',
    headers: {
      origin: url.origin,
      'content-type': 'application/json',
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    },
    body: JSON.stringify(body ?? null),
  })
  if (response.status !== 200) throw new Error(`POST ${path} was answered ${response.status}`)
  return response.json()
}

/** The rest of the first line that begins with `prefix`. */
async function lineAfter(child: ChildProcess, prefix: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const timer = setTimeout(() => reject(new Error(`no "${prefix}" in ${LIMIT_MS / 1000} s`)), LIMIT_MS)
  if (child.stdout === null) throw new Error('no stdout')
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.startsWith(prefix)) resolve(line.slice(prefix.length).trim())
  })
  child.once('exit', (code) => reject(new Error(`it ended with ${code} before it was ready`)))
  return promise.finally(() => clearTimeout(timer))
}

/** Waits until stdout is closed, because npm may exit before the program that it started. */
function exitCodeOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once('close', resolve))
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null) return
  const exited = exitCodeOf(child)
  process.kill(-child.pid, 'SIGTERM')
  await exited
}

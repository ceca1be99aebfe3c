import { spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { metricsOf } from '../../main/metrics/metric-list.ts'
import { prometheusText, serveMetrics } from '../../main/metrics/metrics-server.ts'
import { claimPort } from '../../main/network/loopback-servers.ts'
import { getPrograms } from '../debian-package.ts'
import { exampleQuota, exampleSnapshot } from '../main/hosts/terminal/example-snapshot.ts'
import { temporaryFolder } from '../main/storage/temporary-folder.ts'
import { cannotProve, proves } from '../proof/proves.ts'
import { QUERIES } from './dashboard.ts'

interface Prometheus {
  readonly server: string
  /** Its checker, `promtool`. */
  readonly tool: string
}

/** A real Prometheus. If it can't be installed, prints one line and resolves to `undefined`. */
const getPrometheus = (say: (line: string) => void): Promise<Prometheus | undefined> =>
  getPrograms(
    {
      name: 'prometheus',
      programs: { server: 'usr/bin/prometheus', tool: 'usr/bin/promtool' },
      size: 20,
      without: 'the metrics are not given to a real Prometheus',
    },
    say,
  )

const prometheus = await getPrometheus((line) => console.error(line))
const name = `a real Prometheus${prometheus === undefined ? ' (not run: no Prometheus)' : ''}`
if (prometheus === undefined) {
  it('is not run, and the page of promises reports that', () => cannotProve('M1', 3, 'no Prometheus'))
}

const BEARER = 'a-bearer-of-this-test'
const answer = z.object({
  status: z.literal('success'),
  data: z.object({
    result: z.array(
      z.object({ metric: z.record(z.string(), z.string()), value: z.tuple([z.number(), z.string()]) }),
    ),
  }),
})

/** Every metric that can be exported. */
function metrics() {
  const at = Date.now()
  const row = exampleQuota({
    asOf: at,
    emptyAt: at + 60_000,
    blockedUntil: at + 5_000,
    used: { own: 7, elsewhere: 90 },
    use: { total: 1, own: 0.25, elsewhere: 0.75, elsewhereLow: 0.5, elsewhereHigh: 1 },
    safe: { everySeconds: null, burst: 3 },
    nextCheckAt: at + 9_000,
  })
  const shared = exampleQuota({ category: 'a "b"\\c\nd', countedBy: 'Accounts' })
  const snapshot = exampleSnapshot({ at, requests: [row, shared] })
  return metricsOf({
    snapshots: [snapshot],
    restarts: () => new Map([['Positions Stream', 2]]),
    process: { version: '1.2.3', startedMs: at - 60_000 },
  })
}

describe.skipIf(prometheus === undefined)(name, () => {
  const { server, tool } = prometheus ?? { server: '', tool: '' }

  it('finds no fault with the names, the types and the HELP of the metrics', () => {
    const { status, stdout, stderr } = spawnSync(tool, ['check', 'metrics'], {
      input: prometheusText(metrics()),
      encoding: 'utf8',
    })
    expect([status, stdout + stderr]).toEqual([0, ''])
    proves('M1', { level: 3, cases: metrics().length })
  })

  it('scrapes them with the bearer, and returns each query of the dashboard', async () => {
    const served = await serveMetrics({ metrics, close: () => {} }, { port: 0, bearer: BEARER })
    if (served.kind === 'failed') throw new Error(served.line)
    onTestFinished(() => served.close())
    const folder = temporaryFolder()
    const config = join(folder, 'prometheus.yml')
    // The configuration is written as JSON, which is valid YAML.
    const job = {
      job_name: 'headroom',
      scrape_interval: '1s',
      authorization: { credentials: BEARER },
      static_configs: [{ targets: [new URL(served.url).host] }],
    }
    writeFileSync(config, JSON.stringify({ scrape_configs: [job] }))
    // Prometheus can't choose a free port by itself and report it.
    const free = await claimPort(0)
    await free.close()
    const origin = `http://127.0.0.1:${free.port}`
    const child = spawn(
      server,
      [
        `--config.file=${config}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${free.port}`,
        '--log.level=error',
      ],
      { stdio: ['ignore', 'ignore', 'ignore'] },
    )
    const ended = new Promise((resolve) => child.once('exit', resolve))
    onTestFinished(async () => {
      child.kill('SIGKILL')
      await ended
    })
    const query = async (text: string) => {
      const response = await fetch(`${origin}/api/v1/query?query=${encodeURIComponent(text)}`)
      return answer.parse(await response.json()).data.result
    }
    await expect
      .poll(() => query('headroom_requests_remaining').catch(() => []), { timeout: 30_000, interval: 200 })
      .toHaveLength(1)
    const [row] = await query('headroom_requests_remaining')
    expect(row?.metric).toMatchObject({ job: 'headroom', category: 'Accounts', environment: 'simulator' })
    expect(row?.value[1]).toBe('300')
    expect((await query('headroom_requests_state == 1'))[0]?.metric['state']).toBe('ok')
    expect((await query('headroom_requests_counted_by_info'))[0]?.metric['category']).toBe('a "b"\\c\nd')
    expect((await query('headroom_requests_safe_interval_seconds'))[0]?.value[1]).toBe('+Inf')
    const empty: string[] = []
    for (const text of QUERIES) {
      const result = await query(text)
      // These queries may be empty: after one scrape there is no rate yet, and this key does not rotate.
      const mayBeEmpty = /rate\(|increase\(|sign_in_ends/.test(text)
      if (result.length === 0 && !mayBeEmpty) empty.push(text)
    }
    expect(empty).toEqual([])
    proves('M1', { level: 3, cases: QUERIES.length })
  }, 60_000)
})

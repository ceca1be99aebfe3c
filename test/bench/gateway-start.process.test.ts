import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { benchResult } from './result.ts'

const SCRIPT = fileURLToPath(new URL('gateway-start.ts', import.meta.url))

test('a killed gateway restarts, serves its programs, and sends no request twice', () => {
  const { stdout } = spawnSync(process.execPath, [SCRIPT, '--rounds', '1', '--environment', '--json'], {
    encoding: 'utf8',
  })
  const { ours, table, details, aims } = benchResult.parse(JSON.parse(stdout))
  expect(table?.rows.map(([name]) => name)).toEqual([
    'in the environment, none in flight',
    'in the environment, requests in flight',
  ])
  expect(ours).toBeGreaterThan(20)
  expect(details['requests in flight at the kill, median']).toBeGreaterThan(0)
  expect(aims).toHaveLength(2)
  expect(aims[1]?.isMet).toBe(true)
}, 240_000)

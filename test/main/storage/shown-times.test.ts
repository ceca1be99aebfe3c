import '../../renderer/utc.ts'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { clockText, showTimesIn } from '../../../app/status/moments.ts'
import { ShownTimes } from '../../../main/storage/shown-times.ts'
import { temporaryFolder } from './temporary-folder.ts'

afterEach(() => showTimesIn('local'))

const NOON_MS = Date.UTC(2026, 0, 2, 12)
const timesIn = (folder: string | undefined, problems: string[] = []) =>
  new ShownTimes(folder, NOON_MS, (sentence) => void problems.push(sentence))

test('a chosen zone applies to every text at once, is reported, and is restored', () => {
  const folder = temporaryFolder()
  const times = timesIn(folder)
  const told: string[] = []
  const stop = times.onChange((zone) => void told.push(zone))
  expect([times.zone, clockText(NOON_MS)]).toEqual(['local', '12:00:00'])
  expect(times.set('exchange')).toEqual({ ok: true })
  expect([times.zone, clockText(NOON_MS), told]).toEqual(['exchange', '07:00:00', ['exchange']])
  stop()
  times.set('utc')
  expect(told).toEqual(['exchange'])
  times.set('exchange')
  showTimesIn('local')
  expect([timesIn(folder).zone, clockText(NOON_MS)]).toEqual(['exchange', '07:00:00'])
})

test('a damaged file is reported, and times are then the computer’s own', () => {
  const folder = temporaryFolder()
  const problems: string[] = []
  writeFileSync(join(folder, 'times.json'), '{"zone":"moon"}')
  expect(timesIn(folder, problems).zone).toBe('local')
  expect(problems).toEqual([expect.stringContaining('Time settings: the file is damaged')])
})

test('without a folder a zone applies until the process ends', () => {
  expect(timesIn(undefined).set('utc')).toEqual({ ok: true })
  expect(timesIn(undefined).zone).toBe('local')
})

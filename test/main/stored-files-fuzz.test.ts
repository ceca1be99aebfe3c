import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BUDGET_FRACTION, EVERY_SECONDS, isWithin, ROTATION_MINUTES } from '../../app/contract/units.ts'
import { STREAM_KINDS } from '../../app/service/stream-kinds.ts'
import { ThresholdFile } from '../../main/alerts/threshold-file.ts'
import { DEFAULT_RETENTION, retentionFile } from '../../main/history/compaction.ts'
import { migrated, readDesktopState } from '../../main/hosts/desktop/desktop-state.ts'
import { SIMULATOR_PROBES } from '../../main/ports/profile.ts'
import { Preferences } from '../../main/storage/preferences.ts'
import { PinnedStreams } from '../../main/streams/pinned-streams.ts'
import { SimulatorSettings } from '../../main/vault/simulator-settings.ts'
import { proves } from '../proof/proves.ts'
import { hostileFile } from './hostile-json.ts'
import { quickFolder } from './storage/temporary-folder.ts'
import { profile } from './vault/fixtures.ts'

/** The number of contents to try for each file that is stored unencrypted in the data folder. */
const RUNS = 10_000
const NOW_MS = Date.UTC(2026, 0, 2)
const isShare = (value: number) => value >= 0 && value <= 1

interface Case {
  readonly folder: string
  readonly bytes: Uint8Array
  /** Receives the sentences that the app shows to a person. */
  readonly say: (sentence: string) => void
}

/** Opens the file with each content. `judge` returns what is wrong with the result, or `undefined`. */
function fuzz(name: string, good: unknown, judge: (given: Case) => unknown): void {
  const folder = quickFolder()
  let tried = 0
  fc.assert(
    fc.property(hostileFile(good), (bytes) => {
      writeFileSync(join(folder, name), bytes)
      tried += 1
      const said: string[] = []
      const wrong =
        judge({ folder, bytes, say: (sentence) => said.push(sentence) }) ??
        (isKept(folder, bytes) ? undefined : 'the file was lost') ??
        said.find((sentence) => sentence.includes('\n') || sentence.length > 300)
      if (wrong !== undefined) throw new Error(`${JSON.stringify(wrong)} of ${Buffer.from(bytes)}`)
      for (const left of readdirSync(folder)) if (left !== name) rmSync(join(folder, left))
    }),
    { numRuns: RUNS },
  )
  expect(Object.keys(Object.prototype)).toEqual([])
  expect(tried).toBe(RUNS)
  proves('D2', { level: 2, cases: tried })
}

/** The file is complete, under its own name or another one, so nothing is lost. */
const isKept = (folder: string, bytes: Uint8Array) =>
  readdirSync(folder).some((name) => readFileSync(join(folder, name)).equals(bytes))

test('10,000 contents of preferences.json give a valid choice or the default, and none is lost', () => {
  const good = { schemaVersion: 1, theme: 'dark', storeUnprotected: false }
  fuzz('preferences.json', good, ({ folder, bytes, say }) => {
    const { theme, storeUnprotected } = new Preferences(folder, NOW_MS, say).read()
    if (!['system', 'light', 'dark'].includes(theme)) return { theme }
    // A damaged file must not give a consent that the person did not give.
    if (storeUnprotected && !/"storeUnprotected"\s*:\s*true/.test(Buffer.from(bytes).toString()))
      return 'consent'
    return undefined
  })
})

test('10,000 contents of history.json are a retention within its limits', () => {
  fuzz('history.json', { rawMs: 7_200_000, rollupMs: 172_800_000 }, ({ folder, say }) => {
    const { rawMs, rollupMs } = retentionFile(folder).read(DEFAULT_RETENTION, NOW_MS, say)
    const isWithin =
      rawMs >= 3_600_000 && rawMs <= 14 * 86_400_000 && rollupMs >= 86_400_000 && rollupMs <= 366 * 86_400_000
    return isWithin ? undefined : { rawMs, rollupMs }
  })
})

test('10,000 contents of alerts.json are thresholds between nothing and all', () => {
  const good = { profiles: { 'key-1': { below: 0.2, perCategory: { Accounts: 0.1 } } } }
  fuzz('alerts.json', good, ({ folder, say }) => {
    const file = new ThresholdFile(folder, NOW_MS, say)
    for (const profile of ['key-1', '__proto__', 'constructor']) {
      const { below, perCategory } = file.of(profile)
      if (!isShare(below) || !Object.values(perCategory).every(isShare)) return { below, perCategory }
    }
    return undefined
  })
})

const pinOwner = (id: string) => ({
  id,
  environment: 'custom' as const,
  authUrl: 'https://a.test',
  baseUrl: 'https://b.test',
  clientId: 'c',
  isKept: () => true,
})

test('10,000 contents of pinned-streams.json open valid streams, or none', () => {
  const good = {
    profiles: {
      'key-1': [
        { kind: 'positions', target: 'SIM1001', options: {} },
        { kind: 'barcharts', target: 'MSFT', options: { interval: '5' } },
      ],
    },
  }
  fuzz('pinned-streams.json', good, ({ folder }) => {
    const pins = new PinnedStreams(folder, NOW_MS)
    for (const profile of ['key-1', '__proto__', 'constructor'])
      for (const { kind, target, options } of pins.of(pinOwner(profile)).read()) {
        const isTame =
          STREAM_KINDS.includes(kind) &&
          target.length > 0 &&
          target.length <= 512 &&
          Object.entries(options).every(([name, value]) => name.length <= 32 && value.length <= 64)
        if (!isTame) return { kind, target, options }
      }
    return undefined
  })
})

test('10,000 contents of simulator.json are settings that a person could have chosen', () => {
  const good = { probes: { ...SIMULATOR_PROBES, everySeconds: { Accounts: 30 } }, rotationMinutes: 30 }
  fuzz('simulator.json', good, ({ folder, say }) => {
    const settings = new SimulatorSettings(folder, NOW_MS)
    if (settings.notice !== undefined) say(settings.notice)
    const { probes, rotationMinutes = 1, refreshToken } = settings.chosenFor(profile())
    const isTame =
      (probes.budgetFraction === 0 || isWithin(BUDGET_FRACTION, probes.budgetFraction)) &&
      isWithin(ROTATION_MINUTES, rotationMinutes) &&
      Object.values(probes.everySeconds).every((value) => value === 0 || isWithin(EVERY_SECONDS, value))
    if (!isTame) return { probes, rotationMinutes }
    // A settings file must not replace the key's token.
    return refreshToken === profile().refreshToken ? undefined : 'the key was replaced'
  })
})

test('10,000 contents of window.json leave each choice in a form that the window can use', () => {
  const good = { windowBounds: { x: 0, y: 0, width: 800, height: 600 }, keepAwake: true, schemaVersion: 0 }
  fc.assert(
    fc.property(hostileFile(good), (bytes) => {
      let stored: unknown
      try {
        stored = JSON.parse(Buffer.from(bytes).toString())
      } catch {
        return // set aside by its store
      }
      if (typeof stored !== 'object' || stored === null || Array.isArray(stored)) return
      const { windowBounds, keepAwake, globalShortcut } = readDesktopState(migrated({ ...stored }))
      expect([typeof keepAwake, typeof globalShortcut]).toEqual(['boolean', 'boolean'])
      for (const value of Object.values(windowBounds ?? {})) expect(Number.isSafeInteger(value)).toBe(true)
    }),
    { numRuns: RUNS },
  )
  proves('D2', { level: 2, cases: RUNS })
})

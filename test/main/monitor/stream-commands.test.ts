import { expect, test } from 'vitest'
import { contract } from '../../../app/contract/contract.ts'
import type { CommandError } from '../../../app/contract/outcome.ts'
import type { Snapshot } from '../../../app/contract/snapshot.ts'
import type { StreamRequest } from '../../../app/service/stream-kinds.ts'
import { streamCommands } from '../../../main/monitor/commands/streams.ts'
import { Monitor } from '../../../main/monitor/monitor.ts'
import { MEMORY_PROFILE_STORE } from '../../../main/sign-in/profile-store.ts'
import { PinnedStreams } from '../../../main/streams/pinned-streams.ts'
import { proves } from '../../proof/proves.ts'
import { stream } from '../../renderer/fixtures.ts'
import { BAD_DAYS } from '../../renderer/harness/bad-days.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { EXAMPLE_KEY } from '../example-key.ts'
import { ScriptedHttp } from '../scripted-http.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'

const PROFILE = 'key-1'
const POSITIONS: StreamRequest = { kind: 'positions', target: 'SIM1001', options: {} }

function started(folder: string, isKept = true, baseUrl = 'https://service.test'): Monitor {
  const ports = {
    clock: new VirtualClock(),
    random: { next: () => 0.5 },
    http: new ScriptedHttp(),
    log: { note: () => {} },
    pins: new PinnedStreams(folder, 0),
  }
  const monitor = new Monitor(ports, { ...MEMORY_PROFILE_STORE, keepsSettings: () => isKept })
  const probes = { budgetFraction: 0, everySeconds: {} }
  monitor.connect({ ...EXAMPLE_KEY, id: PROFILE, baseUrl, probes })
  return monitor
}

const commandsOf = (monitor: Monitor) => streamCommands(monitor).handlers
const targets = (monitor: Monitor) =>
  monitor.snapshot(PROFILE)?.streams.map(({ target, pinned }) => [target, pinned])

test('a pinned stream reopens at the next start; a forgotten key has none', async () => {
  const folder = temporaryFolder()
  const first = started(folder)
  await commandsOf(first).openStream({ profile: PROFILE, ...POSITIONS })
  await commandsOf(first).openStream({ profile: PROFILE, ...POSITIONS, target: 'SIM1002' })
  expect(await commandsOf(first).pinStream({ profile: PROFILE, stream: 's1', pinned: true })).toEqual({
    ok: true,
  })
  first.stop()

  const second = started(folder)
  expect(targets(second)).toEqual([['SIM1001', true]])
  second.disconnect(PROFILE)
  second.stop()
  const third = started(folder)
  expect(targets(third)).toEqual([])
  third.stop()
})

test.each<[string, Parameters<typeof started>[1], Parameters<typeof started>[2]]>([
  ['that was in memory only', false, undefined],
  ['of another broker', true, 'https://other.test'],
])('the streams of a key %s are not opened for the next key with the same id', async (_, isKept, baseUrl) => {
  const folder = temporaryFolder()
  const first = started(folder, isKept)
  await commandsOf(first).openStream({ profile: PROFILE, ...POSITIONS })
  await commandsOf(first).pinStream({ profile: PROFILE, stream: 's1', pinned: true })
  first.stop()
  const second = started(folder, isKept, baseUrl)
  expect(targets(second)).toEqual([])
  second.stop()
  proves('T13', { level: 2, cases: 1 })
})

test('commands on a missing key or stream report that it is missing', async () => {
  const monitor = started(temporaryFolder())
  expect(await commandsOf(monitor).restartStream({ profile: 'nobody', stream: 's1' })).toMatchObject({
    code: 'unknown-profile',
  })
  expect(
    await commandsOf(monitor).pinStream({ profile: 'nobody', stream: 's1', pinned: true }),
  ).toMatchObject({ code: 'unknown-profile' })
  expect(await commandsOf(monitor).restartStream({ profile: PROFILE, stream: 's9' })).toMatchObject({
    code: 'unknown-stream',
  })
  expect(await commandsOf(monitor).pinStream({ profile: PROFILE, stream: 's9', pinned: true })).toMatchObject(
    { code: 'unknown-stream' },
  )
  monitor.stop()
})

test('an open stream is not restarted or replaced while all calls fail; it may be closed', async () => {
  const passed: CommandError = { ok: false, code: 'passed', message: '' }
  const restart = async (at: Snapshot, stream = at.streams[0]!.id) => {
    const { handlers } = streamCommands({ snapshot: () => at, withProfile: () => passed })
    const closed = await handlers.closeStream({ profile: PROFILE, stream })
    expect(closed).toBe(passed)
    expect(await handlers.openStream({ profile: PROFILE, ...POSITIONS })).toBe(passed)
    const restarted = await handlers.restartStream({ profile: PROFILE, stream })
    const replaced = await handlers.openStream({ profile: PROFILE, ...POSITIONS, replace: stream })
    expect(replaced).toBe(restarted)
    return restarted
  }
  for (const day of ['token rejected (401)', 'service unreachable'])
    expect(await restart(BAD_DAYS[day]!)).toMatchObject({
      code: 'calls-fail',
      message: 'Stream not closed: none can open until calls work.',
    })
  expect(await restart(BAD_DAYS['all is well']!)).toBe(passed)
  const waits = stream('w', 'Order Stream', 'W', { state: 'waiting', reasonCode: 'calls-fail' })
  expect(await restart({ ...BAD_DAYS['token rejected (401)']!, streams: [waits] })).toBe(passed)
})

test('a window’s commands are accepted only in the contract’s shape', async () => {
  const open = { profile: PROFILE, kind: 'positions', target: 'SIM1001' }
  expect(contract.openStream.parse({ ...open, replace: 's1' })).toMatchObject({ replace: 's1' })
  expect(contract.openStream.parse(open)).toEqual(open)
  expect(() => contract.openStream.parse({ ...open, replace: 7 })).toThrow()
  const close = { profile: PROFILE, stream: 's1' }
  expect(contract.closeStream.parse({ ...close, inSeconds: 5 })).toEqual({ ...close, inSeconds: 5 })
  for (const inSeconds of [0, 0.5, 61]) {
    expect(() => contract.closeStream.parse({ ...close, inSeconds })).toThrow()
  }
  expect(() => contract.pinStream.parse({ profile: PROFILE, stream: 's1' })).toThrow()
  expect(() => contract.pinStream.parse({ profile: PROFILE, stream: 's1', pinned: 'yes' })).toThrow()
  expect(() => contract.restartStream.parse({ profile: PROFILE, stream: 's1', force: true })).toThrow()
})

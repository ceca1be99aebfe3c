import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { LoggedEvent } from '../../../app/contract/events.ts'
import { chanceFrom } from '../../app/quota/chance.ts'
import { Attacker, OtherDesk } from '../../desk-machines/attacker.ts'
import { sumOf } from '../../desk-machines/desk-counts.ts'
import { type DeskMachine, PROFILE } from '../../desk-machines/desk-machine.ts'
import { StartedDesk } from '../../desk-machines/started-desk.ts'
import { within } from '../../desk-machines/within.ts'
import { wrongClock } from '../../desk-machines/wrong-clock.ts'
import { getNatsServer } from '../../desk-server/get-nats-server.ts'
import { proves } from '../../proof/proves.ts'

/**
 * Three real `headroom gateway` processes on one key, and a real NATS server. Each test continues from the
 * state of the previous one. The service's own counts are the truth.
 */
const program = await getNatsServer((line) => console.error(line))
const name = `three machines of a desk${program === undefined ? ' (not run: no nats-server)' : ''}`

const LIMITS = Object.fromEntries(
  ['Accounts', 'Balances', 'Positions', 'Order Details', 'Quote Snapshot'].map((category) => [
    category,
    { limit: 600, periodSeconds: 300 },
  ]),
)
/** Time limit for steps without a promised limit, in milliseconds. */
const SOON_MS = 10_000
const EXACT_MS = 5_000
const LOST_MS = 6_000
const ALONE_MS = 2_000
/**
 * Maximum share of requests that a machine may attribute to others. If it missed the requests of another
 * machine, the share would be a third or more.
 */
const OTHERS_SHARE = 0.2
const FROZEN_MS = 30_000
/** How long one machine is frozen while another one starts, in milliseconds. */
const HEARD_LATE_MS = 12_000
/**
 * The requests of a killed machine from its last moment may be lost, in milliseconds. This is three times the
 * promised time, because machines are busy.
 */
const LAST_MOMENT_MS = 300

type Told = readonly [kind: LoggedEvent['kind'], of?: string]

describe.skipIf(program === undefined)(name, () => {
  let desk: StartedDesk
  let workstation: DeskMachine
  let laptop: DeskMachine
  let server: DeskMachine

  beforeAll(async () => {
    desk = await StartedDesk.prepare({
      nats: program ?? '',
      machines: { WORKSTATION: ['scanner', 'trader'], LAPTOP: ['notebook'], SERVER: ['hedger', 'reporter'] },
      service: { limits: LIMITS },
      flags: ['--probe', 'none'],
    })
    ;[workstation, laptop, server] = desk.machines as [DeskMachine, DeskMachine, DeskMachine]
    await desk.start()
  }, 120_000)

  afterAll(() => desk?.end())

  /** Every machine shows for each machine what the service counted, and next to nothing for others. */
  const countExactly = async (withinMs = EXACT_MS) => {
    expect(await within(withinMs, () => desk.counts.differences())).toEqual([])
    expect(await desk.counts.shareOfOthers()).toBeLessThan(OTHERS_SHARE)
  }
  const joined = () => within(SOON_MS, () => desk.notJoined())
  /** Waits until all machines have joined. The counts are compared from then on. */
  const begin = async () => {
    expect(await joined()).toEqual([])
    await desk.counts.begin()
  }
  const used = async (each: number, machines = desk.machines) =>
    expect(await desk.use(each, machines)).toEqual([])
  /** Returns a function that waits until each of the machines has reported the event once more. */
  const tellsOnce = (withinMs: number, machines: readonly DeskMachine[], ...what: Told) => {
    const before = machines.map((machine) => machine.told(...what))
    return () =>
      within(withinMs, () =>
        machines.flatMap((machine, at) =>
          machine.told(...what) > (before[at] ?? 0)
            ? []
            : [`${machine.name} does not tell ${what.join(' ')}`],
        ),
      )
  }
  const stateOf = async (machine: DeskMachine) => (await machine.snapshot()).desk?.state
  const isIn = (state: 'joined' | 'alone', machine: DeskMachine) => async () => {
    const own = await stateOf(machine)
    return own === state ? [] : [`${machine.name} is ${own}`]
  }
  const droppedBy = async (machine: DeskMachine) => (await machine.snapshot()).desk?.dropped ?? 0
  /** Token refreshes and sign-in events of all machines so far. */
  const signIns = () => ({
    refreshes: [...desk.key.refreshes],
    required: desk.machines.map((machine) => machine.told('sign-in-required')),
  })

  it('count each other’s requests exactly, and their streams', async () => {
    await begin()
    await used(25)
    await countExactly()
    const stream = await laptop.get('notebook', '/v3/brokerage/stream/accounts/SIM1001/positions')
    const slots = (of: 'own' | 'desk', machine: DeskMachine) => async () => {
      const { slots: rows } = await machine.snapshot()
      const row = rows.find(({ category }) => category === 'Positions Stream')
      return row?.[of] === 1 && row.elsewhere === 0 ? [] : [`${machine.name}: ${JSON.stringify(row)}`]
    }
    expect(await within(EXACT_MS, slots('own', laptop))).toEqual([])
    expect(await within(EXACT_MS, slots('desk', workstation))).toEqual([])
    await stream.body?.cancel()
    await used(5)
    await countExactly()
    proves('M4', { level: 3, cases: 6 })
  })

  it('drop what is forged, replayed and truncated, and see nothing of another desk', async () => {
    await begin()
    const before = await Promise.all(desk.machines.map(droppedBy))
    const events = desk.machines.map((machine) => machine.events.length)
    const attacker = await Attacker.connect(desk.nats.url)
    const other = await OtherDesk.join(desk.nats.url)
    onTestFinished(async () => {
      await attacker.close()
      await other.close()
    })
    await used(25)
    expect(await within(SOON_MS, () => attacker.lacks(60))).toEqual([])
    await countExactly()
    const sent = attacker.attack()
    other.report()
    await used(10)
    const dropped = async () => {
      const now = await Promise.all(desk.machines.map(droppedBy))
      return now.flatMap((count, at) =>
        count - (before[at] ?? 0) >= sent.toAll ? [] : [`${desk.machines[at]?.name} dropped ${count}`],
      )
    }
    expect(sent.toAll).toBeGreaterThan(100)
    expect(await within(SOON_MS, dropped)).toEqual([])
    await countExactly()
    // Sends old frames of all machines again, after the machines have sent newer ones.
    attacker.attack()
    await used(10)
    await countExactly()
    expect(await joined()).toEqual([])
    const members = (await workstation.snapshot()).desk?.members.map((member) => member.name)
    expect(members).toEqual(['WORKSTATION', 'LAPTOP', 'SERVER'])
    // A busy machine may believe for a moment that the server is gone. It reports this by other events.
    const told = desk.machines.flatMap((machine, at) =>
      machine.events.slice(events[at]).filter(({ kind }) => /^desk-member-(?:joined|left)$/.test(kind)),
    )
    expect(told).toEqual([])
    proves('M4', { level: 3, cases: 8 })
  }, 90_000)

  it('count exactly where two messages in a hundred are lost, and two arrive twice', async () => {
    await begin()
    const chance = chanceFrom(7)
    const seen = { lost: 0, repeated: 0 }
    const spoil = () => {
      const drawn = chance()
      if (drawn < 0.02) seen.lost += 1
      else if (drawn < 0.04) seen.repeated += 1
      else return 1
      return drawn < 0.02 ? 0 : 2
    }
    for (const way of desk.ways.values()) way.spoil(spoil)
    onTestFinished(() => {
      for (const way of desk.ways.values()) way.spoil(undefined)
    })
    for (let round = 0; round < 20 && Math.min(seen.lost, seen.repeated) < 5; round += 1) await used(50)
    expect(Math.min(seen.lost, seen.repeated)).toBeGreaterThanOrEqual(5)
    // Reports are sent every second. They correct missed messages, even while messages are still being lost.
    await countExactly(2 * EXACT_MS)
    proves('M4', { level: 3, cases: 2 })
  }, 90_000)

  it('work alone while one of them can’t reach the server, and count everything afterwards', async () => {
    await begin()
    const before = signIns()
    const told = tellsOnce(ALONE_MS, [laptop], 'desk-alone')
    const lost = tellsOnce(LOST_MS, [workstation, server], 'desk-member-lost', 'LAPTOP')
    const back = tellsOnce(SOON_MS, [laptop], 'desk-back')
    desk.wayOf(laptop).cut()
    expect(await told()).toEqual([])
    expect(await isIn('alone', laptop)()).toEqual([])
    await used(15)
    expect(await lost()).toEqual([])
    await used(5)
    desk.wayOf(laptop).heal()
    expect(await back()).toEqual([])
    expect(await joined()).toEqual([])
    await countExactly()
    expect(signIns()).toEqual(before)
    proves(['M4', 'M6'], { level: 3, cases: 2 })
  }, 90_000)

  it('work alone while the server is gone, and continue when it starts with an empty store', async () => {
    await begin()
    const before = signIns()
    const alone = tellsOnce(ALONE_MS, desk.machines, 'desk-alone')
    const back = tellsOnce(SOON_MS, desk.machines, 'desk-back')
    const lost = desk.machines.map((machine) => machine.told('desk-member-lost'))
    const [killed] = await Promise.all([desk.nats.kill(), used(20)])
    expect(killed).toBeUndefined()
    expect(await alone()).toEqual([])
    await used(10)
    await desk.nats.restart()
    expect(await back()).toEqual([])
    expect(await joined()).toEqual([])
    await used(5)
    await countExactly()
    // If all members are lost, this is one event of its own, and there is none per member.
    expect(desk.machines.map((machine) => machine.told('desk-member-lost'))).toEqual(lost)
    expect(signIns()).toEqual(before)
    proves(['M4', 'M6'], { level: 3, cases: 3 })
  }, 90_000)

  it('count exactly after one of them stood still with a response under way', async () => {
    await begin()
    const others = [workstation, laptop]
    const lost = tellsOnce(LOST_MS, others, 'desk-member-lost', 'SERVER')
    const totalOf = async () =>
      (await workstation.snapshot()).desk?.members.find((one) => one.name === 'SERVER')?.total ?? 0
    const before = await totalOf()
    // The server freezes while this request is in flight. The other machines have already learned of it and
    // of the later ones.
    const counted = desk.key.delayNext(3_000)
    const underWay = server.get('hedger', '/v3/brokerage/accounts')
    await counted
    await used(4, [server])
    const known = async () => ((await totalOf()) >= before + 4 ? [] : ['the others know less'])
    expect(await within(EXACT_MS, known)).toEqual([])
    server.freeze()
    const frozenMs = performance.now()
    await used(15, others)
    expect(await lost()).toEqual([])
    const isOver = () => (performance.now() - frozenMs > FROZEN_MS ? [] : ['frozen'])
    expect(await within(2 * FROZEN_MS, isOver)).toEqual([])
    await used(5, others)
    server.thaw()
    // A response after 30 s may be too late for its program.
    expect([200, 504]).toContain((await underWay).status)
    await countExactly()
    expect(await joined()).toEqual([])
    proves('M4', { level: 3, cases: 2 })
  }, 90_000)

  it('say within seconds that one was killed, and lose at most its last moment', async () => {
    await begin()
    const others = [workstation, server]
    const lost = tellsOnce(LOST_MS, others, 'desk-member-lost', 'LAPTOP')
    // Sends requests all the time, so that some are in flight at the kill.
    const acceptedMs: number[] = []
    const before = sumOf(desk.key.countsOf('LAPTOP'))
    onTestFinished(
      desk.key.onAnswer(({ machine, isAccepted, atMs }) => {
        if (machine === 'LAPTOP' && isAccepted) acceptedMs.push(atMs)
      }),
    )
    const working = desk.use(400, [laptop]).catch(() => [])
    expect(await within(SOON_MS, () => (acceptedMs.length > 60 ? [] : ['too few']))).toEqual([])
    const killedMs = Date.now()
    await laptop.kill()
    await working
    await used(10, others)
    expect(await lost()).toEqual([])
    const notOfVictim = async () =>
      (await desk.counts.differences()).filter((line) => !line.includes(', desk '))
    expect(await within(EXACT_MS, notOfVictim)).toEqual([])
    const early = acceptedMs.filter((atMs) => atMs < killedMs - LAST_MOMENT_MS)
    expect(early.length).toBeGreaterThan(0)
    for (const machine of others) {
      const member = (await machine.snapshot()).desk?.members.find((one) => one.name === 'LAPTOP')
      expect(member).toMatchObject({ present: false, perSecond: 0 })
      expect(member?.total).toBeGreaterThanOrEqual(before + early.length)
      // One more request may have been in flight without being counted.
      expect(member?.total).toBeLessThanOrEqual(before + acceptedMs.length + 1)
    }
    proves('M4', { level: 3, cases: 2 })
  }, 90_000)

  it('see one again after it started, with a clock that is hours ahead, while another one stood still', async () => {
    const again = tellsOnce(SOON_MS, [workstation, server], 'desk-member-joined', 'LAPTOP')
    await desk.counts.begin()
    desk.counts.forget(laptop)
    server.freeze()
    await laptop.start(wrongClock(7))
    const startedMs = performance.now()
    // The others count its requests since its start, even those that it sent before they learned of it.
    await used(10, [laptop])
    const isLate = () => (performance.now() - startedMs > HEARD_LATE_MS ? [] : ['too early'])
    expect(await within(2 * HEARD_LATE_MS, isLate)).toEqual([])
    server.thaw()
    expect(await again()).toEqual([])
    await countExactly()
    await begin()
    await used(20)
    await countExactly()
    proves('M4', { level: 3, cases: 1 })
  }, 90_000)

  it('see at once that one quit, and count it again with a clock that is hours behind', async () => {
    const others = [workstation, laptop]
    const left = tellsOnce(ALONE_MS, others, 'desk-member-left', 'SERVER')
    const lost = others.map((machine) => machine.told('desk-member-lost', 'SERVER'))
    await used(5)
    expect(await server.stop()).toBe(0)
    expect(await left()).toEqual([])
    expect(others.map((machine) => machine.told('desk-member-lost', 'SERVER'))).toEqual(lost)
    await server.start(wrongClock(-5))
    await begin()
    await used(20)
    await countExactly()
    proves(['M4', 'M6'], { level: 3, cases: 2 })
  }, 90_000)

  it('continue when the cluster’s server in use is killed', async () => {
    const before = signIns()
    await desk.moveToCluster(program ?? '')
    await begin()
    const [killed] = await Promise.all([desk.killServerOf(workstation), used(20)])
    const elsewhere = async () => {
      const engine = (await workstation.snapshot()).desk?.engine
      return engine?.reachable && engine.server !== killed ? [] : [`uses ${engine?.server}`]
    }
    expect(await within(8_000, elsewhere)).toEqual([])
    expect(await joined()).toEqual([])
    await used(10)
    await countExactly()
    expect(signIns()).toEqual(before)
    proves(['M4', 'M6'], { level: 3, cases: 2 })
  }, 120_000)

  it('say who revoked the key, and not that they are signed out', async () => {
    await server.ask({ do: 'revoke', profile: PROFILE })
    const revoked = async () => {
      const states = await Promise.all([workstation, laptop].map((machine) => machine.snapshot()))
      return states.flatMap(({ refresh }) =>
        refresh.state === 'revoked' && refresh.revokedBy === 'SERVER' ? [] : [JSON.stringify(refresh)],
      )
    }
    expect(await within(SOON_MS, revoked)).toEqual([])
    expect((await server.snapshot()).refresh).not.toHaveProperty('revokedBy')
    expect([workstation, laptop].map((machine) => machine.told('sign-in-required'))).toEqual([0, 0])
  }, 90_000)
})

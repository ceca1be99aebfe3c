import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type BusyDesk, busyDesk } from '../../desk-machines/busy-desk.ts'
import { sumOf } from '../../desk-machines/desk-counts.ts'
import { FAILURES, FailingDesk, type FailureName } from '../../desk-machines/desk-failures.ts'
import { type DeskMachine, PROFILE } from '../../desk-machines/desk-machine.ts'
import type { DeskPrograms } from '../../desk-machines/desk-programs.ts'
import { NewerMember } from '../../desk-machines/newer-member.ts'
import { within } from '../../desk-machines/within.ts'
import { type SettableClock, settableClock, wrongClock } from '../../desk-machines/wrong-clock.ts'
import { getNatsServer } from '../../desk-server/get-nats-server.ts'
import { proves } from '../../proof/proves.ts'

/**
 * Three real `headroom gateway` processes on one key, whose programs request more than the quotas allow, and
 * a real NATS server. A part of them fails. The service's own count is the judge: no 429, no request accepted
 * twice, and an answer to each.
 */
const program = await getNatsServer((line) => console.error(line))
const name = `the queue of a desk${program === undefined ? ' (not run: no nats-server)' : ''}`

const TAKE_OVER_MS = 8_000
const ALONE_MS = 2_000
const LEASE_MS = 4_000
const RUNS_MS = 5_000
const JUMP_SECONDS = 40
/** How long JetStream may take to elect, in milliseconds. A round takes 4 to 9 s, and may fail. */
const ELECTED_MS = 20_000
/** Within this time after a revocation, no machine sends anything more. Milliseconds. */
const REVOKED_MS = 2_000
const TIMES = { away: 3_000, frozen: 30_000, cut: 8_000 }

describe.skipIf(program === undefined)(name, () => {
  let busy: BusyDesk
  let world: FailingDesk
  let programs: DeskPrograms

  beforeAll(async () => {
    busy = await busyDesk(program ?? '')
    world = new FailingDesk(busy.desk, 1, TIMES)
    await busy.desk.start()
    expect(await world.settled()).toEqual([])
    programs = busy.run(1)
    await pause(RUNS_MS)
  }, 120_000)

  afterAll(async () => {
    await programs?.stop()
    await busy?.desk.end()
  })

  const modeOf = (mode: 'granted' | 'alone', machine: DeskMachine) => async () => {
    const own = (await machine.snapshot()).desk?.queue?.mode
    return own === mode ? [] : [`${machine.name}: ${own}`]
  }
  /** One queue again, and nothing went wrong. */
  const settled = async () => {
    expect(await world.settled()).toEqual([])
    await pause(RUNS_MS)
    expect(busy.ledger.faults).toEqual([])
    proves(['M2', 'M3', 'M7'], { level: 3, cases: 1 })
  }

  const moveToCluster = async (reaches: 'all servers' | 'one server') => {
    await busy.desk.moveToCluster(program ?? '', reaches)
    expect(await world.settled()).toEqual([])
    // Each gateway decided by itself meanwhile, so that a 429 is possible.
    busy.ledger.rejected.splice(0)
  }

  it.each(Object.keys(FAILURES) as FailureName[])(
    'is one queue again after a failure: %s',
    async (failure) => {
      await FAILURES[failure](world)
      await settled()
      for (const tookMs of world.takeOversMs.get(failure) ?? []) expect(tookMs).toBeLessThan(TAKE_OVER_MS)
    },
    120_000,
  )

  it('gives each machine its share within a second if no server can be reached', async () => {
    const { desk } = busy
    const dispatcher = await world.dispatcher()
    onTestFinished(() => {
      for (const way of desk.ways.values()) way.heal()
    })
    for (const way of desk.ways.values()) way.cut()
    const others = desk.machines.filter((machine) => machine !== dispatcher)
    const inMode = (machines: readonly DeskMachine[]) => async () => {
      const modes = await Promise.all(machines.map((machine) => modeOf('alone', machine)()))
      return modes.flat()
    }
    expect(await within(ALONE_MS, inMode(others))).toEqual([])
    // The dispatcher has set the others' shares aside, and grants the rest to itself until its lease ends.
    expect(await within(LEASE_MS + ALONE_MS, inMode([dispatcher]))).toEqual([])
    await pause(RUNS_MS)
    for (const way of desk.ways.values()) way.heal()
    await settled()
  }, 60_000)

  it('continues if a member has a newer protocol, and each machine reports that one', async () => {
    const newer = await NewerMember.join(busy.desk.nats.url, await world.secret())
    onTestFinished(() => newer.close())
    const told = async () => {
      const snapshots = await Promise.all(busy.desk.machines.map((machine) => machine.snapshot()))
      return snapshots.flatMap(({ desk }) =>
        desk?.refusal?.code === 'update-here' && desk.refusal.machine === 'TABLET'
          ? []
          : [JSON.stringify(desk?.refusal)],
      )
    }
    expect(await within(TAKE_OVER_MS, told)).toEqual([])
    await settled()
  }, 60_000)

  it('is one queue again where the clock of a machine is hours off', async () => {
    const member = await world.member()
    await member.stop()
    await member.start(wrongClock(5))
    await settled()
    await member.stop()
    await member.start()
    await settled()
  }, 90_000)

  it.skipIf(settableClock('/dev/null') === undefined)(
    'is one queue again after the clock of the dispatcher jumped, as after a sleep',
    async () => {
      const { desk } = busy
      const clocks = new Map<DeskMachine, SettableClock>()
      for (const machine of desk.machines) {
        const clock = settableClock(join(desk.folder, `clock of ${machine.name}`))
        if (clock === undefined) throw new Error('there is no libfaketime')
        clocks.set(machine, clock)
        await machine.stop()
        await machine.start(clock.environment)
      }
      await settled()
      const dispatcher = await world.dispatcher()
      for (const seconds of [JUMP_SECONDS, 0]) {
        clocks.get(dispatcher)?.aheadBy(seconds)
        await settled()
      }
    },
    120_000,
  )

  it('answers every program after the secret was replaced, and is one queue again once all joined', async () => {
    const { desk, ledger } = busy
    const [first, ...others] = desk.machines as [DeskMachine, ...DeskMachine[]]
    const answer = await first.ask({ do: 'rotate-desk', profile: PROFILE })
    const invitation = 'invitation' in answer ? answer.invitation : ''
    const refused = async () => {
      const snapshots = await Promise.all(others.map((machine) => machine.snapshot()))
      return snapshots.flatMap(({ desk: own }) => (own?.state === 'refused' ? [] : [`${own?.state}`]))
    }
    expect(await within(TAKE_OVER_MS, refused)).toEqual([])
    // Each gateway decides by itself, so that a 429 is possible.
    const answered = ledger.statuses.get(200) ?? 0
    await pause(RUNS_MS)
    expect(ledger.statuses.get(200)).toBeGreaterThan(answered)
    for (const machine of others) {
      await machine.ask({ do: 'leave-desk', profile: PROFILE })
      await machine.joinDesk(invitation)
    }
    expect(await world.settled()).toEqual([])
    await pause(RUNS_MS)
    expect([...ledger.twice, ...ledger.unanswered]).toEqual([])
    ledger.rejected.splice(0)
    proves('M7', { level: 3, cases: 1 })
  }, 90_000)

  it('is one queue again where the server in use of a cluster is killed', async () => {
    const { desk } = busy
    await moveToCluster('all servers')
    await settled()
    await desk.killServerOf(await world.dispatcher())
    await pause(1_000)
    expect(await within(TAKE_OVER_MS, () => world.notGranted())).toEqual([])
    await settled()
  }, 120_000)

  describe('on a cluster whose servers lose each other', () => {
    beforeAll(() => moveToCluster('one server'), 60_000)

    it.each([
      ['a member', 'lost'],
      ['the dispatcher', 'lost'],
      ['a member', 'late'],
      ['the dispatcher', 'late'],
    ] as const)(
      'works on both sides, and is one queue again: %s is cut off, messages are %s',
      async (which, messages) => {
        const { desk } = busy
        await settled()
        const dispatcher = await world.dispatcher()
        const apart = which === 'a member' ? await world.member() : dispatcher
        const others = desk.machines.filter((machine) => machine !== apart)
        const heal = desk.cutOff(apart, messages)
        onTestFinished(heal)
        const aloneMs = which === 'a member' ? ALONE_MS : LEASE_MS + ALONE_MS
        expect(await within(aloneMs, modeOf('alone', apart))).toEqual([])
        const served = () => desk.machines.map(({ name }) => sumOf(desk.key.byProgramsOf(name)))
        const before = served()
        await pause(TIMES.cut)
        for (const [at, count] of served().entries()) expect(count).toBeGreaterThan(before[at] ?? 0)
        // The side with two servers keeps its dispatcher if it has JetStream's leader, or else gets one.
        expect(await within(ELECTED_MS, () => world.notGranted(others))).toEqual([])
        expect(await modeOf('alone', apart)()).toEqual([])
        heal()
        await settled()
        // The server that was cut off makes JetStream elect again, and no machine dispatches meanwhile.
        await pause(2 * RUNS_MS)
        await settled()
      },
      120_000,
    )
  })

  it('answers every program at once after a machine revoked the key, and is one queue after new sign-ins', async () => {
    const { desk, ledger } = busy
    const revoking = await world.dispatcher()
    const others = desk.machines.filter((machine) => machine !== revoking)
    const asked = desk.machines.map((machine) => machine.told('sign-in-required'))
    await revoking.ask({ do: 'revoke', profile: PROFILE })
    const notRevoked = async () => {
      const snapshots = await Promise.all(others.map((machine) => machine.snapshot()))
      return snapshots.flatMap(({ refresh, programs: own }) =>
        refresh.state === 'revoked' &&
        refresh.revokedBy === revoking.name &&
        own?.every(({ waiting }) => waiting === 0)
          ? []
          : [JSON.stringify(refresh)],
      )
    }
    expect(await within(REVOKED_MS, notRevoked)).toEqual([])
    const sent: string[] = []
    const end = desk.key.onAnswer(({ machine, category }) => sent.push(`${machine}, ${category}`))
    const before = new Map(ledger.statuses)
    await pause(RUNS_MS)
    end()
    expect(sent).toEqual([])
    const statuses = [...ledger.statuses].filter(([status, count]) => count > (before.get(status) ?? 0))
    expect(statuses.map(([status]) => status)).toEqual([503])
    for (const machine of desk.machines) {
      const answer = await machine.get(machine.programs[0] ?? '', '/v3/brokerage/accounts')
      expect(await answer.text()).toContain('the tokens of this key are revoked')
    }
    expect(desk.machines.map((machine) => machine.told('sign-in-required'))).toEqual(asked)
    desk.key.signInAgain()
    // The machine that dispatches is the last to sign in.
    for (const machine of [...others, revoking]) {
      await machine.stop()
      await machine.start()
      await settled()
      expect(sumOf(desk.key.byProgramsOf(machine.name))).toBeGreaterThan(0)
    }
  }, 120_000)
})

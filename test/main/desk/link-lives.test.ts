import { expect, it } from 'vitest'
import { numbered, picture, VirtualDesk, type VirtualMember } from './virtual-desk.ts'
import type { SeenMessage } from './virtual-desk-server.ts'

const LIVES = 30
const TURNS = 60

/** What one member knows of another's numbered messages. If `isWhole`, it knows all messages up to `upTo`. */
interface Known {
  upTo: number
  isWhole: boolean
}

/** A member that numbers its broadcasts. Its picture contains their number so far. */
class Life {
  readonly member: VirtualMember
  readonly #known = new Map<string, Known>()
  readonly #sentMs: Map<string, number>
  readonly #worldMs: () => number
  #read = 0
  sent = 0

  constructor(member: VirtualMember, sentMs: Map<string, number>, worldMs: () => number) {
    this.member = member
    this.#sentMs = sentMs
    this.#worldMs = worldMs
    member.onWanted = (by) => member.link.send(by, picture(this.sent))
  }

  get run(): string {
    return this.member.id
  }

  speak(): void {
    this.sent += 1
    this.#sentMs.set(`${this.member.id.slice(0, 2)} ${this.sent}`, this.#worldMs())
    this.member.link.broadcast(numbered(this.sent))
  }

  /**
   * Processes the messages received since the last call. `ownMs` converts the world's time to this machine's
   * time.
   */
  listen(ownMs: (worldMs: number) => number): void {
    for (const { from, message, sentAt } of this.member.heard.slice(this.#read)) {
      this.#read += 1
      const known = this.#known.get(from) ?? { upTo: 0, isWhole: false }
      this.#known.set(from, known)
      if (message.kind === 'picture') {
        known.upTo = Math.max(known.upTo, message.counted['all'] ?? 0)
        known.isWhole = true
      }
      if (message.kind !== 'observations') continue
      const [one] = message.list
      const id = one?.kind === 'not-sent' ? one.id : 0
      expect(id, 'no message twice, none after a later one').toBeGreaterThan(known.upTo)
      if (id !== known.upTo + 1) known.isWhole = false
      known.upTo = id
      const truthMs = ownMs(this.#sentMs.get(`${from} ${id}`)!)
      expect(sentAt.fromMs, 'not sent before').toBeLessThanOrEqual(truthMs + 0.01)
      expect(sentAt.toMs, 'not sent after').toBeGreaterThanOrEqual(truthMs - 0.01)
    }
  }

  knows(other: Life): boolean {
    const known = this.#known.get(other.member.id.slice(0, 2))
    return known?.isWhole === true && known.upTo === other.sent
  }
}

async function live(seed: number): Promise<void> {
  const desk = new VirtualDesk({ delayMs: [1, 30] }, seed)
  const { random, server, clock } = desk
  const startMs = clock.worldMs()
  const sentMs = new Map<string, number>()
  const recording: SeenMessage[] = []
  server.listen((seen) => recording.push(seen))
  const count = 2 + Math.floor(random.next() * 4)
  const drifts = new Map<Life, { ppm: number; startedMs: number }>()
  const lives = Array.from({ length: count }, (_, at) => {
    const ppm = random.between(-100, 100)
    const startedMs = random.between(0, 1e9)
    const member = desk.start(`a${at}`, { driftPpm: ppm, startedMs })
    const life = new Life(member, sentMs, () => clock.worldMs())
    drifts.set(life, { ppm, startedMs })
    return life
  })
  const listen = () => {
    for (const life of lives) {
      const { ppm, startedMs } = drifts.get(life)!
      life.listen((worldMs) => startedMs + (worldMs - startMs) * (1 + ppm / 1e6))
    }
  }
  server.network = { ...server.network, lossRate: 0.05, duplicateRate: 0.05, reorderRate: 0.05 }
  for (let turn = 0; turn < TURNS; turn += 1) {
    const { machine } = random.pick(lives).member
    const fate = random.next()
    if (fate < 0.1) {
      machine.freeze()
      clock.happen(random.between(10, 20_000), () => machine.wake())
    } else if (fate < 0.2) {
      server.cut(machine)
      clock.happen(random.between(10, 20_000), () => server.heal(machine))
    } else if (fate < 0.23) {
      server.stop()
      clock.happen(random.between(10, 5_000), () => server.restart({ isEmpty: random.chance(0.5) }))
    } else if (fate < 0.3 && recording.length > 0) {
      for (let sent = 0; sent < 20; sent += 1) server.inject(random.pick(recording))
    }
    for (const life of lives) if (random.chance(0.7)) life.member.machine.run(() => life.speak())
    await desk.advance(random.between(0, 1_000))
    listen()
  }
  desk.restoreNetwork()
  // Long enough for the longest freeze, and then for the slowest request for a picture.
  for (let second = 0; second < 90; second += 1) {
    for (const life of lives) life.member.machine.run(() => life.speak())
    await desk.advance(1_000)
    listen()
  }
  for (const life of lives) {
    for (const other of lives) {
      if (life === other) continue
      expect(life.knows(other), `seed ${seed}: ${life.run} knows all of ${other.run}`).toBe(true)
      expect(life.member.news.filter((news) => news.startsWith('left'))).toEqual([])
      expect(life.member.news.filter((news) => news === `began ${other.run.slice(0, 2)}`)).toHaveLength(1)
    }
  }
}

it(`${LIVES} desks with losses, duplicates, freezes, cuts, restarts and replays end up whole`, async () => {
  for (let seed = 1; seed <= LIVES; seed += 1) await live(seed)
})

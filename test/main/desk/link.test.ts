import { describe, expect, it } from 'vitest'
import { DESK_PROTOCOL } from '../../../app/desk/messages.ts'
import {
  deskNames,
  frameHead,
  openFrame,
  runKey,
  sealFrame,
  subjectOfAll,
  subjectOfMember,
} from '../../../main/desk/envelope.ts'
import { tokenBucket } from '../../../main/desk/link.ts'
import { frameIn } from '../../../main/desk/link-frames.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { numbered, numbersOf, picture, SECRET, VirtualDesk, type VirtualMember } from './virtual-desk.ts'
import type { SeenMessage } from './virtual-desk-server.ts'

const NAMES = deskNames(SECRET)
const OTHER = Buffer.alloc(32, 9).toString('base64url')

/** A desk whose members believe each other and have each other's pictures. */
async function joined(ids: readonly string[], network = {}) {
  const desk = new VirtualDesk(network)
  const members = ids.map((id) => desk.start(id))
  await desk.advance(2_000)
  const [a, b, c] = members as [VirtualMember, VirtualMember, VirtualMember]
  return { desk, a, b, c }
}

/** Everything that crosses the server from now on. */
function record(desk: VirtualDesk): SeenMessage[] {
  const seen: SeenMessage[] = []
  desk.server.listen((message) => seen.push(message))
  return seen
}

describe('members of a desk', () => {
  it('believe each other within a few round trips, and have each other’s picture within a second', async () => {
    const desk = new VirtualDesk()
    const [a, b, c] = [desk.start('aa'), desk.start('bb'), desk.start('cc')]
    await desk.advance(10)
    expect(a.news.toSorted()).toEqual(['began bb', 'began cc'])
    expect(b.news.toSorted()).toEqual(['began aa', 'began cc'])
    expect(c.news.toSorted()).toEqual(['began aa', 'began bb'])
    await desk.advance(1_000)
    for (const member of [a, b, c]) {
      expect(member.wanted).toHaveLength(2)
      expect(member.heard.map(({ message }) => message.kind)).toEqual(['picture', 'picture'])
      expect(member.dropped).toBe(0)
    }
  })

  it('hear broadcasts of all others, and direct messages to themselves only', async () => {
    const { desk, a, b, c } = await joined(['aa', 'bb', 'cc'])
    a.link.broadcast(numbered(1))
    a.link.send(b.id, numbered(2))
    await desk.advance(10)
    expect(numbersOf(b.heard, 'aa')).toEqual([1, 2])
    expect(numbersOf(c!.heard, 'aa')).toEqual([1])
    expect(numbersOf(a.heard)).toEqual([])
  })

  it('know when the others were heard last', async () => {
    const { desk, a, b } = await joined(['aa', 'bb'], { delayMs: [4, 4] })
    a.link.broadcast(numbered(1))
    await desk.advance(500)
    expect(b.machine.monotonicMs() - b.link.lastHeardMs(a.id)!).toBe(496)
    expect(b.link.lastHeardMs('ff'.repeat(8))).toBeUndefined()
  })

  it('date messages on their own clock, although those of others show other times and drift', async () => {
    const desk = new VirtualDesk({ delayMs: [2, 40] })
    const a = desk.start('aa', { startedMs: 1e8, driftPpm: 100 })
    const b = desk.start('bb', { startedMs: 5, driftPpm: -100 })
    await desk.advance(2_000)
    for (let sent = 0; sent < 600; sent += 1) {
      const truthMs = b.machine.monotonicMs()
      a.link.broadcast(numbered(sent))
      b.link.broadcast(numbered(sent))
      await desk.advance(1_000)
      const { sentAt } = b.heard.at(-1)!
      expect(sentAt.fromMs).toBeLessThanOrEqual(truthMs + 0.001)
      expect(sentAt.toMs).toBeGreaterThanOrEqual(truthMs - 0.001)
      if (sent > 10) expect(sentAt.toMs - sentAt.fromMs).toBeLessThan(60)
    }
  })

  it('do not take for fresh what arrived while they were frozen', async () => {
    const { desk, a, b } = await joined(['aa', 'bb'])
    b.machine.freeze()
    a.link.broadcast(numbered(1))
    await desk.advance(30_000)
    b.machine.wake()
    await desk.advance(1)
    const { sentAt, atMs } = b.heard.at(-1)!
    expect(numbersOf(b.heard)).toEqual([1])
    expect(atMs - sentAt.toMs).toBeGreaterThan(29_900)
    expect(atMs - sentAt.fromMs).toBeLessThan(30_100)
  })

  it('hear at once when one leaves, and nothing of it afterwards', async () => {
    const { desk, a, b } = await joined(['aa', 'bb'])
    a.link.leave()
    a.link.broadcast(numbered(1))
    a.link.leave()
    await desk.advance(5)
    expect(b.news).toEqual(['began aa', 'left aa'])
    expect(numbersOf(b.heard)).toEqual([])
    expect(b.link.lastHeardMs(a.id)).toBeUndefined()
  })

  it('replace the run of a member that was killed by its next one', async () => {
    const { desk, a, b } = await joined(['aa', 'bb'])
    a.machine.kill()
    await desk.advance(5_000)
    const again = desk.start('aa')
    await desk.advance(1_000)
    again.link.broadcast(numbered(7))
    await desk.advance(5)
    expect(b.news).toEqual(['began aa', 'replaced aa', 'began aa'])
    expect(numbersOf(b.heard)).toEqual([7])
  })

  it('find each other when the server starts after them, and when it lost what it stored', async () => {
    const desk = new VirtualDesk()
    desk.server.stop()
    const [a, b] = [desk.start('aa'), desk.start('bb')]
    a.link.broadcast(numbered(1))
    await desk.advance(10_000)
    expect(b.news).toEqual([])
    desk.server.restart({ isEmpty: true })
    await desk.advance(3_000)
    expect(b.news).toEqual(['began aa'])
    a.link.broadcast(numbered(2))
    await desk.advance(5)
    expect(numbersOf(b.heard)).toEqual([2])
  })

  it('continue the same run after a lost connection, and request what they missed', async () => {
    const { desk, a, b, c } = await joined(['aa', 'bb', 'cc'])
    const before = a.wanted.length
    desk.server.cut(b.machine)
    await desk.advance(5_000)
    a.link.broadcast(numbered(1))
    await desk.advance(5_000)
    desk.server.heal(b.machine)
    await desk.advance(3_000)
    expect(b.news).toEqual(['began aa', 'began cc'])
    expect(a.wanted.slice(before)).toEqual(['bb'])
    expect(b.heard.at(-1)).toMatchObject({ from: 'aa', message: { kind: 'picture' } })
    expect(numbersOf(c!.heard)).toEqual([1])
  })

  it('of two desks on one server ignore each other', async () => {
    const desk = new VirtualDesk()
    const [a, b] = [desk.start('aa'), desk.start('bb')]
    const [other, another] = [desk.start('dd', { secret: OTHER }), desk.start('aa', { secret: OTHER })]
    await desk.advance(2_000)
    a.link.broadcast(numbered(1))
    other.link.broadcast(numbered(2))
    await desk.advance(10)
    expect(b.news).toEqual(['began aa'])
    expect(another.news).toEqual(['began dd'])
    expect(numbersOf(b.heard)).toEqual([1])
    expect(numbersOf(another.heard)).toEqual([2])
    expect([a, b, other, another].map(({ dropped }) => dropped)).toEqual([0, 0, 0, 0])
  })
})

describe('a gap', () => {
  /** Loses the next message of a member. */
  function lose(desk: VirtualDesk, send: () => void): void {
    desk.server.network = { ...desk.server.network, lossRate: 1 }
    send()
    desk.restoreNetwork()
  }

  it('in the broadcasts is closed by one request, after at most half a second', async () => {
    const { desk, a, b, c } = await joined(['aa', 'bb', 'cc'])
    const before = a.wanted.length
    for (let sent = 1; sent <= 8; sent += 2) {
      lose(desk, () => a.link.broadcast(numbered(sent)))
      a.link.broadcast(numbered(sent + 1))
    }
    await desk.advance(510)
    a.link.broadcast(numbered(9))
    await desk.advance(60_000)
    expect(a.wanted.slice(before).toSorted()).toEqual(['bb', 'cc'])
    for (const member of [b, c!]) {
      expect(numbersOf(member.heard)).toEqual([2, 4, 6, 8, 9])
      expect(member.heard.filter(({ message }) => message.kind === 'picture')).toHaveLength(3)
    }
  })

  it('is noticed by a direct message too', async () => {
    const { desk, a, b } = await joined(['aa', 'bb'])
    const before = a.wanted.length
    lose(desk, () => a.link.broadcast(numbered(1)))
    a.link.send(b.id, numbered(2))
    await desk.advance(1_000)
    expect(a.wanted.slice(before)).toEqual(['bb'])
  })

  it('is noticed if the messages were never sent, because their sender was cut off', async () => {
    const { desk, a, b } = await joined(['aa', 'bb'])
    const before = a.wanted.length
    desk.server.cut(a.machine)
    await desk.advance(5_000)
    a.link.broadcast(numbered(1))
    desk.server.heal(a.machine)
    await desk.advance(3_000)
    expect(a.wanted.slice(before)).toEqual(['bb'])
    expect(b.news).toEqual(['began aa'])
  })

  it('is not what direct messages to another member leave', async () => {
    const { desk, a, b, c } = await joined(['aa', 'bb', 'cc'])
    const before = a.wanted.length
    for (let sent = 0; sent < 20; sent += 1) a.link.send(b.id, numbered(sent))
    a.link.broadcast(numbered(99))
    await desk.advance(2_000)
    expect(numbersOf(c!.heard)).toEqual([99])
    expect(a.wanted).toHaveLength(before)
  })

  it('is asked about again while no picture comes, ever more slowly', async () => {
    const { desk, a } = await joined(['aa', 'bb'])
    const before = a.wanted.length
    a.onWanted = () => {}
    lose(desk, () => a.link.broadcast(numbered(1)))
    a.link.broadcast(numbered(2))
    await desk.advance(10_000)
    const early = a.wanted.length - before
    expect(early).toBeGreaterThanOrEqual(2)
    expect(early).toBeLessThanOrEqual(5)
    await desk.advance(600_000)
    expect(a.wanted.length - before - early).toBeLessThanOrEqual(40)
    a.onWanted = (by) => a.link.send(by, picture(2))
    await desk.advance(40_000)
    const answered = a.wanted.length
    await desk.advance(600_000)
    expect(a.wanted).toHaveLength(answered)
  })

  it('is not asked about once the member has left', async () => {
    const { desk, a, b } = await joined(['aa', 'bb'])
    lose(desk, () => a.link.broadcast(numbered(1)))
    a.link.broadcast(numbered(2))
    await desk.advance(2)
    const seen = record(desk)
    a.link.leave()
    await desk.advance(60_000)
    expect(b.news.at(-1)).toBe('left aa')
    expect(seen.filter(({ subject }) => subject === subjectOfMember(NAMES, a.id))).toEqual([])
  })

  it('follows a message that is too large for a frame', async () => {
    const { desk, a, b } = await joined(['aa', 'bb'])
    const before = a.wanted.length
    const list = Array.from({ length: 1_500 }, (_, id) => ({
      kind: 'sent' as const,
      id,
      endpoint: 'x'.repeat(300),
      age: 0,
    }))
    a.link.broadcast({ kind: 'observations', list })
    a.link.send(b.id, { kind: 'observations', list })
    a.link.broadcast(numbered(2))
    await desk.advance(1_000)
    expect(a.wanted.slice(before)).toEqual(['bb'])
    expect(numbersOf(b.heard)).toEqual([2])
  })
})

describe('an attacker who can use the server', () => {
  it('cannot have yesterday’s recording believed, by old members or new ones', async () => {
    const desk = new VirtualDesk()
    const seen = record(desk)
    const yesterday = [desk.start('aa'), desk.start('bb')] as const
    await desk.advance(2_000)
    for (let sent = 0; sent < 50; sent += 1) {
      yesterday[0].link.broadcast(numbered(sent))
      yesterday[1].link.send(yesterday[0].id, numbered(sent))
      await desk.advance(100)
    }
    const recording = [...seen]
    for (const { machine } of yesterday) machine.kill()
    await desk.advance(86_400_000)
    const [b, c] = [desk.start('bb'), desk.start('cc')]
    await desk.advance(2_000)
    for (let round = 0; round < 3; round += 1) {
      for (const message of recording) {
        desk.server.inject(message)
        await desk.advance(20)
      }
    }
    expect(b.news).toEqual(['began cc'])
    expect(c.news).toEqual(['began bb'])
    for (const member of [b, c]) {
      expect(numbersOf(member.heard)).toEqual([])
      expect(member.dropped).toBeGreaterThan(100)
    }
    b.link.broadcast(numbered(1))
    await desk.advance(10)
    expect(numbersOf(c.heard)).toEqual([1])
  })

  it('cannot repeat a message of a member, to those who had it and those who had not', async () => {
    const { desk, a, b } = await joined(['aa', 'bb'])
    const seen = record(desk)
    for (let sent = 1; sent <= 5; sent += 1) a.link.broadcast(numbered(sent))
    await desk.advance(10)
    const recording = [...seen]
    const c = desk.start('cc')
    await desk.advance(2_000)
    for (const message of recording) desk.server.inject(message)
    await desk.advance(10)
    expect(numbersOf(b.heard)).toEqual([1, 2, 3, 4, 5])
    expect(numbersOf(c.heard)).toEqual([])
    expect([b.dropped, c.dropped]).toEqual([5, 5])
  })

  it('cannot bring back a run that has ended', async () => {
    const { desk, a, b } = await joined(['aa', 'bb'])
    const seen = record(desk)
    a.link.broadcast(numbered(1))
    await desk.advance(10)
    // The attacker holds these messages back, so that the others have not seen them when the run ends.
    desk.server.cut(b.machine)
    a.link.broadcast(numbered(2))
    await desk.advance(10)
    desk.server.heal(b.machine)
    await desk.advance(3_000)
    a.link.leave()
    await desk.advance(10)
    expect(b.news.at(-1)).toBe('left aa')
    const { dropped } = b
    for (const message of [...seen]) desk.server.inject(message)
    await desk.advance(10)
    expect(numbersOf(b.heard)).toEqual([1])
    expect(b.news.at(-1)).toBe('left aa')
    expect(b.dropped).toBeGreaterThan(dropped)
  })

  it('cannot move a message to another subject, or change it', async () => {
    const { desk, a, b, c } = await joined(['aa', 'bb', 'cc'])
    const seen = record(desk)
    a.link.send(b.id, numbered(1))
    const { bytes } = seen[0]!
    desk.server.inject({ subject: subjectOfAll(NAMES), bytes })
    desk.server.inject({ subject: subjectOfMember(NAMES, c!.id), bytes })
    for (const at of [0, 1, 9, 25, 31, bytes.length - 1]) {
      const changed = Uint8Array.from(bytes)
      changed[at]! ^= 1
      desk.server.inject({ subject: subjectOfMember(NAMES, b.id), bytes: changed })
    }
    desk.server.inject({ subject: subjectOfMember(NAMES, b.id), bytes: bytes.subarray(0, 40) })
    desk.server.inject({ subject: subjectOfMember(NAMES, b.id), bytes: new Uint8Array() })
    await desk.advance(10)
    expect(numbersOf(b.heard)).toEqual([1])
    expect(numbersOf(c!.heard)).toEqual([])
    expect([b.dropped, c!.dropped]).toEqual([9, 2])
    // A forged counter has no effect on the member's own next message.
    a.link.send(b.id, numbered(2))
    await desk.advance(10)
    expect(numbersOf(b.heard)).toEqual([1, 2])
  })

  it('gets few replies to a flood, and members still receive each other’s messages', async () => {
    const { desk, a, b } = await joined(['aa', 'bb'])
    const seen = record(desk)
    const forged = (size: number) => {
      const bytes = Uint8Array.from({ length: size }, () => Math.floor(desk.random.next() * 256))
      bytes[0] = 1
      return bytes
    }
    for (let second = 0; second < 5; second += 1) {
      for (let sent = 0; sent < 2_000; sent += 1)
        desk.server.inject({ subject: subjectOfAll(NAMES), bytes: forged(60) })
      a.link.broadcast(numbered(second))
      await desk.advance(1_000)
    }
    expect(numbersOf(b.heard)).toEqual([0, 1, 2, 3, 4])
    expect(b.dropped).toBe(10_000)
    expect(seen.length - 10_000).toBe(5)
  })

  it('gets few replies to old greetings of many runs', async () => {
    const desk = new VirtualDesk()
    const seen = record(desk)
    for (let run = 0; run < 600; run += 1) {
      const member = desk.start('aa')
      await desk.advance(1)
      member.machine.kill()
    }
    const greetings = [...seen]
    expect(greetings.length).toBeGreaterThanOrEqual(600)
    const [b, c] = [desk.start('bb'), desk.start('cc')]
    await desk.advance(5_000)
    seen.length = 0
    for (const message of greetings) desk.server.inject(message)
    await desk.advance(1_000)
    // Each of the two members may send a burst of 128 messages, and 64 per second.
    expect(seen.length - greetings.length).toBeLessThanOrEqual(2 * (128 + 64))
    expect(b.news).toEqual(['began cc'])
    // Only 500 of these messages are decrypted, and a few more because of the milliseconds in which they
    // arrive.
    expect(b.dropped).toBeGreaterThanOrEqual(greetings.length - 510)
    b.link.broadcast(numbered(1))
    await desk.advance(10)
    expect(numbersOf(c.heard)).toEqual([1])
  })

  it('gets no reply to the goodbye of a run that nobody knew', async () => {
    const desk = new VirtualDesk()
    const a = desk.start('aa')
    await desk.advance(10)
    const seen = record(desk)
    const elsewhere = new VirtualDesk()
    const goodbye = record(elsewhere)
    rawMember(elsewhere, DESK_PROTOCOL).all({ kind: 'bye' })
    desk.server.inject(goodbye[0]!)
    await desk.advance(10)
    expect([seen.length, a.news, a.dropped]).toEqual([1, [], 0])
    desk.server.inject(goodbye[0]!)
    await desk.advance(10)
    expect([seen.length, a.dropped]).toEqual([2, 1])
  })
})

type Said = { kind: string; message?: unknown; to?: string; name?: string }

/** A member without a link, which answers greetings and sends whatever the test wants. */
function rawMember(desk: VirtualDesk, protocol: number) {
  const self = { member: 'ee'.repeat(8), run: 'ee'.repeat(16) }
  const key = runKey(SECRET, self)
  let counter = 0
  const send = (subject: string, said: Said) => {
    counter += 1
    const own = said.kind === 'desk' ? null : said
    const fields = [protocol, desk.clock.worldMs(), 0, said.message ?? null, own, {}, 'more']
    const bytes = Buffer.from(JSON.stringify(fields))
    desk.server.inject({ subject, bytes: sealFrame(key, { ...self, counter }, { subject, bytes }) })
  }
  desk.server.listen(({ subject, bytes }) => {
    const head = frameHead(bytes)
    if (head === undefined || head.member === self.member) return
    const plain = openFrame(runKey(SECRET, head), bytes, subject)
    const said = frameIn(plain!)!.said
    const isAsked = [subjectOfMember(NAMES, self.member), subjectOfAll(NAMES)].includes(subject)
    if (said.kind === 'hello' && isAsked)
      send(subjectOfMember(NAMES, head.member), { kind: 'answer', to: said.challenge, name: 'RAW' })
  })
  const all = (said: Said) => send(subjectOfAll(NAMES), said)
  return { send, all, report: () => all({ kind: 'desk', message: { kind: 'new' } }) }
}

describe('a believed member', () => {
  it('gets one picture a second, however often it asks', async () => {
    const desk = new VirtualDesk()
    const raw = rawMember(desk, DESK_PROTOCOL)
    const a = desk.start('aa')
    await desk.advance(10)
    expect(a.news).toEqual(['began ee'])
    for (let asked = 0; asked < 30; asked += 1) {
      raw.send(subjectOfMember(NAMES, a.id), { kind: 'ask' })
      await desk.advance(100)
    }
    expect(a.wanted).toEqual(['ee', 'ee', 'ee'])
  })

  it('whose messages are malformed is ignored, and the messages are counted', async () => {
    const desk = new VirtualDesk()
    const raw = rawMember(desk, DESK_PROTOCOL)
    const a = desk.start('aa')
    await desk.advance(10)
    raw.report()
    raw.all({ kind: 'unknown' })
    raw.all({ kind: 'desk', message: { kind: 'observations', list: 'none' } })
    await desk.advance(10)
    expect([a.dropped, a.heard]).toEqual([3, []])
    raw.all({ kind: 'bye' })
    await desk.advance(10)
    expect(a.news).toEqual(['began ee', 'left ee'])
  })

  it('confirms what it heard once a second, not with each message', async () => {
    const { desk, a, b } = await joined(['aa', 'bb'])
    for (const { link } of [a, b]) link.broadcast(numbered(1))
    await desk.advance(10)
    for (const { link } of [a, b]) link.broadcast(numbered(2))
    await desk.advance(2_000)
    const seen = record(desk)
    for (let sent = 0; sent < 20; sent += 1) {
      a.link.broadcast(numbered(10))
      b.link.broadcast(numbered(10))
      await desk.advance(40)
    }
    const sizes = seen.map(({ bytes }) => bytes.length)
    expect(sizes.filter((size) => size > Math.min(...sizes) + 30)).toHaveLength(2)
  })
})

describe('a member of another version', () => {
  it('is named as soon as it has proved that it is alive, and with each of its messages', async () => {
    const desk = new VirtualDesk()
    const later = rawMember(desk, DESK_PROTOCOL + 1)
    const a = desk.start('aa')
    later.report()
    await desk.advance(10)
    const said = a.news.length
    expect(new Set(a.news)).toEqual(new Set([`other ${DESK_PROTOCOL + 1} ee RAW`]))
    later.report()
    await desk.advance(10)
    expect(a.news).toHaveLength(said + 1)
    expect([a.heard, a.dropped]).toEqual([[], 0])
  })

  it('is not named because of a recording', async () => {
    const desk = new VirtualDesk()
    const seen = record(desk)
    rawMember(desk, DESK_PROTOCOL + 1).report()
    const recording = [...seen]
    const silent = new VirtualDesk()
    const a = silent.start('aa')
    for (const message of recording) silent.server.inject(message)
    await silent.advance(10_000)
    expect(a.news).toEqual([])
  })
})

describe('a full desk', () => {
  it('has 32 members, and accepts another only in place of one that was silent for a minute', async () => {
    const desk = new VirtualDesk()
    const [a] = Array.from({ length: 32 }, (_, at) => desk.start((at + 16).toString(16)))
    await desk.advance(5_000)
    expect(a!.news.filter((news) => news.startsWith('began'))).toHaveLength(31)
    const late = desk.start('ff')
    await desk.advance(5_000)
    expect(a!.news).not.toContain('began ff')
    await desk.advance(60_000)
    late.link.broadcast(numbered(1))
    await desk.advance(2_000)
    late.link.broadcast(numbered(2))
    await desk.advance(1_000)
    expect(a!.news.slice(-2)).toEqual([expect.stringMatching(/^left /), 'began ff'])
    expect(numbersOf(a!.heard)).toEqual([2])
  })
})

describe('the pace of messages to strangers', () => {
  const taken = (take: () => boolean, tries: number) =>
    Array.from({ length: tries }, take).filter(Boolean).length

  it('allows a burst, then its rate, and saves up no more than the burst', async () => {
    const clock = new VirtualClock()
    const pace = tokenBucket(clock, { most: 10, perSecond: 5 })
    expect(taken(pace, 100)).toBe(10)
    await clock.advance(199)
    expect(taken(pace, 100)).toBe(0)
    await clock.advance(1)
    expect(taken(pace, 100)).toBe(1)
    await clock.advance(3_600_000)
    expect(taken(pace, 100)).toBe(10)
  })
})

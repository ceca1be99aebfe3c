import { randomBytes } from 'node:crypto'
import { DESK_PROTOCOL } from '../../app/desk/messages.ts'
import type { Engine } from '../../main/desk/engine.ts'
import {
  deskNames,
  frameHead,
  type MemberRun,
  openFrame,
  runKey,
  sealFrame,
  subjectOfAll,
  subjectOfMember,
} from '../../main/desk/envelope.ts'
import { frameBytes, frameIn, type LinkContent } from '../../main/desk/link-frames.ts'
import { natsEngines } from '../../main/desk/nats-engine.ts'
import { nodeClock, nodeRandom } from '../../main/ports/node-clock.ts'

const HELLO_EVERY_MS = 1_000

/** A member of a desk with the next version of the protocol, which only answers challenges. */
export class NewerMember {
  readonly #secret: string
  readonly #engine: Engine
  readonly #self: MemberRun = { member: randomBytes(8).toString('hex'), run: randomBytes(16).toString('hex') }
  readonly #timer: NodeJS.Timeout
  #counter = 0

  private constructor(secret: string, engine: Engine) {
    this.#secret = secret
    this.#engine = engine
    const names = deskNames(secret)
    for (const subject of [subjectOfAll(names), subjectOfMember(names, this.#self.member)])
      engine.subscribe(subject, (bytes) => this.#arrived(subject, bytes))
    this.#timer = setInterval(
      () => this.#send(subjectOfAll(names), { kind: 'hello', challenge: randomBytes(16).toString('hex') }),
      HELLO_EVERY_MS,
    )
  }

  static async join(url: string, secret: string): Promise<NewerMember> {
    const engines = natsEngines({ clock: nodeClock, random: nodeRandom, randomBytes })
    const opened = await engines.open({ servers: [url], names: deskNames(secret) })
    if (!opened.ok) throw new Error(opened.message)
    return new NewerMember(secret, opened.engine)
  }

  close(): Promise<void> {
    clearInterval(this.#timer)
    return this.#engine.close()
  }

  #arrived(subject: string, bytes: Uint8Array): void {
    const head = frameHead(bytes)
    const plain = head && openFrame(runKey(this.#secret, head), bytes, subject)
    if (head === undefined || plain === undefined) return
    const said = frameIn(plain)?.said
    const challenge = said?.kind === 'hello' || said?.kind === 'answer' ? said.challenge : undefined
    if (challenge === undefined) return
    const to = subjectOfMember(deskNames(this.#secret), head.member)
    this.#send(to, { kind: 'answer', to: challenge, name: 'TABLET' })
  }

  #send(subject: string, said: LinkContent): void {
    this.#counter += 1
    const frame = { protocol: DESK_PROTOCOL + 1, at: performance.now(), broadcasts: 0, said }
    const head = { ...this.#self, counter: this.#counter }
    const bytes = frameBytes(frame)
    this.#engine.publish(subject, sealFrame(runKey(this.#secret, this.#self), head, { subject, bytes }))
  }
}

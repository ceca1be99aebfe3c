import { announcerOf } from '../../app/desk/announcer.ts'
import type { OtherMember } from './other-member.ts'

/** Members that were lost or left some time ago are forgotten beyond this number. */
const MAX_MEMBERS = 32

/** The other members of a desk, as far as they are known here. */
export class OtherMembers {
  readonly #self: string
  readonly #create: (id: string) => OtherMember
  readonly #members = new Map<string, OtherMember>()

  /** `self`: this member's id. `create` makes a member that is seen for the first time. */
  constructor(self: string, create: (id: string) => OtherMember) {
    this.#self = self
    this.#create = create
  }

  /** The member with an id, which becomes known if it was not. */
  of(id: string): OtherMember {
    const known = this.#members.get(id)
    if (known !== undefined) return known
    const member = this.#create(id)
    this.#members.set(id, member)
    this.#forgetOldest()
    return member
  }

  known(id: string): OtherMember | undefined {
    return this.#members.get(id)
  }

  all(): readonly (readonly [id: string, member: OtherMember])[] {
    return [...this.#members]
  }

  forget(id: string): void {
    this.#members.delete(id)
  }

  get isAnyPresent(): boolean {
    for (const member of this.#members.values()) if (member.isPresent) return true
    return false
  }

  /** The ids of the members that respond, this one included. */
  get presentIds(): readonly string[] {
    return [this.#self, ...this.#present.map(([id]) => id)]
  }

  /** The id of the member that announces alerts. `inputAge`: see `announcerOf`, for this machine. */
  announcer(inputAge: number | undefined): string | undefined {
    const others = this.#present.map(([id, member]) => ({ id, inputAge: member.inputAge }))
    return announcerOf([{ id: this.#self, inputAge }, ...others])
  }

  /** How many streams of each category the other members have. */
  streams(): ReadonlyMap<string, number> {
    const streams = new Map<string, number>()
    for (const { record } of this.#members.values())
      for (const [category, own] of Object.entries(record.streams))
        streams.set(category, (streams.get(category) ?? 0) + own)
    return streams
  }

  get #present() {
    return this.all().filter(([, { isPresent }]) => isPresent)
  }

  #forgetOldest(): void {
    for (const [id, { isPresent }] of this.#members) {
      if (this.#members.size <= MAX_MEMBERS) return
      if (!isPresent) this.#members.delete(id)
    }
  }
}

import { z } from 'zod'
import {
  looksAlike,
  PROGRAM_CLASSES,
  PROGRAM_LIMITS,
  PROGRAM_NAME,
  type ProgramClass,
} from '../../app/contract/programs.ts'
import { digestOf, newSecret } from '../network/random-secret.ts'
import type { Clock, RandomBytes } from '../ports/ports.ts'
import { JsonFile } from '../storage/json-file.ts'
import { SAVED, type Saved } from '../storage/storage-error.ts'
import type { GivenProgram } from './given-programs.ts'

export const programName: z.ZodType<string> = z.string().max(PROGRAM_LIMITS.name).regex(PROGRAM_NAME)
export const programWeight: z.ZodType<number> = z
  .number()
  .min(PROGRAM_LIMITS.weight.least)
  .max(PROGRAM_LIMITS.weight.most)
export const programClass: z.ZodType<ProgramClass> = z.enum(PROGRAM_CLASSES)
export const programOrders: z.ZodType<number> = z
  .int()
  .min(PROGRAM_LIMITS.maxOrders.least)
  .max(PROGRAM_LIMITS.maxOrders.most)

const storedProgram = z.object({
  id: z.string().min(1).max(16),
  name: programName,
  class: programClass,
  /** Relative share among the programs of the same class. */
  weight: programWeight,
  /** The connected API key with which the program's requests are sent. If empty, see `ONLY_KEY`. */
  profile: z.string().max(64),
  /** The last four characters of the program's own key, for display. */
  keyEnding: z.string().length(4),
  /** Maximum number of orders in any minute. Without it, the program is not allowed to send orders. */
  maxOrders: programOrders.exactOptional(),
  /**
   * Digest (`keyMark`) of the API key with which the program's orders may be sent. Absent until Headroom has
   * run with that API key.
   */
  ordersOf: z.string().max(64).exactOptional(),
  /** SHA-256, base64url. A slow hash would not be safer, because the key has 256 random bits. */
  keyDigest: z.string().length(43),
})
type StoredProgram = Readonly<z.output<typeof storedProgram>>

/** A program that may call the gateway. */
export type Program = Omit<StoredProgram, 'ordersOf' | 'keyDigest'>

const stored = z.object({
  schemaVersion: z.literal(1),
  /** The gateway's port. Absent while the gateway is off. */
  port: z.int().min(0).max(65_535).exactOptional(),
  /** The port before the gateway was turned off. */
  lastPort: z.int().min(0).max(65_535).exactOptional(),
  programs: z.array(storedProgram).max(PROGRAM_LIMITS.programs).readonly(),
})
type Stored = Readonly<z.output<typeof stored>>

/** The `profile` of a program that uses the only connected key. */
export const ONLY_KEY = ''

const EMPTY: Stored = { schemaVersion: 1, programs: [] }
/** Lifetime of a local access token in seconds, the same as the service's (service 8.4). */
export const LOCAL_TOKEN_SECONDS = 1200
/**
 * Maximum number of tokens of one program. Each of its processes can have one. Without a maximum, a program
 * that requests a token for each call would fill the memory.
 */
const MAX_TOKENS_PER_PROGRAM = 1_000

interface LocalToken {
  readonly program: string
  readonly endsAtMs: number
}

export type AddedProgram =
  | { readonly ok: true; readonly program: Program; readonly key: string }
  | { readonly ok: false; readonly why: string }

/** `names`: the programs that lost their order permission. */
export interface Withdrawal {
  readonly names: readonly string[]
  readonly saved: Saved
}

/** The API keys that are connected now. */
export interface KeysNow {
  readonly profiles: readonly string[]
  /** Whether a key that is not connected is known to have been deleted. */
  readonly isGone: (profile: string) => boolean
}

export interface ProgramsDeps {
  /** If absent, programs are kept only in memory. */
  readonly dataFolder?: string | undefined
  /**
   * Programs for this run of the app, with keys that a person chose. Each overrides a stored program of the
   * same name.
   */
  readonly given?: readonly GivenProgram[]
  /** See `MonitorSurface.keyMark`. Absent if it is unknown which keys are connected. */
  readonly keyMark?: (profile: string) => string | undefined
  readonly clock: Clock
  readonly randomBytes: RandomBytes
  /** Called with one sentence if the stored programs cannot be read. */
  readonly problem: (sentence: string) => void
}

/**
 * The programs that may call the gateway, and their local access tokens. Programs are stored in
 * `gateway.json` in the data folder. Tokens are only in memory.
 *
 * A key is shown once, when its program is added. Only its digest is stored.
 */
export class Programs {
  readonly #deps: ProgramsDeps
  readonly #file: JsonFile<Stored>
  #stored: Stored
  #given: readonly StoredProgram[]
  /** Local access tokens by their digest, oldest first. */
  readonly #tokens = new Map<string, LocalToken>()
  /**
   * Ids used in this run of the app. They include those of revoked programs, whose last requests might still
   * be in flight.
   */
  readonly #usedIds = new Set<string>()

  constructor(deps: ProgramsDeps) {
    this.#deps = deps
    const { dataFolder: folder, given = [] } = deps
    const what = 'The programs of the gateway'
    const { schemaVersion } = EMPTY
    this.#file = new JsonFile({ folder, name: 'gateway', what, schema: stored, schemaVersion })
    this.#stored = this.#file.read(EMPTY, deps.clock.wallMs(), deps.problem)
    for (const { id } of this.#stored.programs) this.#usedIds.add(id)
    this.#given = given.map(({ key, ...program }) => ({
      ...program,
      id: `given:${program.name}`,
      profile: ONLY_KEY,
      keyEnding: key.slice(-4),
      keyDigest: digestOf(key),
    }))
  }

  /** The gateway's port at the next start. `undefined` if it is off. */
  get port(): number | undefined {
    return this.#stored.port
  }

  /** The port that the gateway had before it was turned off. */
  get lastPort(): number | undefined {
    return this.#stored.lastPort
  }

  /** Stores the gateway's port for the next start. `undefined` means off. */
  setPort(port: number | undefined, lastPort = this.port ?? this.lastPort): Saved {
    const { port: _, lastPort: __, ...rest } = this.#stored
    if (port !== undefined) return this.#save({ ...rest, port })
    return this.#save({ ...rest, ...(lastPort !== undefined && { lastPort }) })
  }

  list(): readonly Program[] {
    return this.#all().map(withoutDigest)
  }

  #all(): readonly StoredProgram[] {
    const isHidden = ({ name }: StoredProgram) => this.#given.some((given) => sameName(given.name, name))
    return [...this.#given, ...this.#stored.programs.filter((program) => !isHidden(program))]
  }

  add({ name, class: own, weight, profile, maxOrders }: Omit<Program, 'id' | 'keyEnding'>): AddedProgram {
    const { programs } = this.#stored
    const refused = (why: string): AddedProgram => ({ ok: false, why })
    if (this.#all().some((program) => sameName(program.name, name)))
      return refused(`a program is already named ${name}; cut it first, or choose another name`)
    if (this.#all().some((program) => looksAlike(program.name, name)))
      return refused(`the name ${name} looks like another program's; choose a different one`)
    if (programs.length >= PROGRAM_LIMITS.programs)
      return refused(`${PROGRAM_LIMITS.programs} programs are the maximum; cut one first`)
    const key = newSecret(this.#deps.randomBytes)
    const ordersOf = maxOrders === undefined ? undefined : this.#deps.keyMark?.(profile)
    const program: StoredProgram = {
      id: this.#freeId(),
      name,
      class: own,
      weight,
      profile,
      keyEnding: key.slice(-4),
      ...(maxOrders !== undefined && { maxOrders }),
      ...(ordersOf !== undefined && { ordersOf }),
      keyDigest: digestOf(key),
    }
    const saved = this.#save({ ...this.#stored, programs: [...programs, program] })
    if (saved.ok) this.#usedIds.add(program.id)
    return saved.ok
      ? { ok: true, program: withoutDigest(program), key }
      : refused(`saving failed: ${saved.why}`)
  }

  /** Whether there is a program with this id. False after the program was cut off. */
  has(id: string): boolean {
    return this.#all().some((program) => program.id === id)
  }

  /** The program with this name, ignoring case. */
  named(name: string): Program | undefined {
    return this.list().find((program) => sameName(program.name, name))
  }

  /**
   * Removes a program. Its key and tokens become invalid, even if the removal cannot be stored. If `isGiven`,
   * the key works again at the next start.
   */
  cut(
    name: string,
  ): { readonly program: Program; readonly isGiven: boolean; readonly saved: Saved } | undefined {
    const program = this.#all().find((one) => sameName(one.name, name))
    if (program === undefined) return undefined
    for (const [digest, token] of this.#tokens) if (token.program === program.id) this.#tokens.delete(digest)
    const programs = this.#stored.programs.filter((one) => !sameName(one.name, name))
    const isGiven = this.#given.includes(program)
    this.#given = this.#given.filter((one) => one !== program)
    // A stored program of the same name is removed too. Otherwise its key would work again.
    const isStored = programs.length < this.#stored.programs.length
    const saved = isStored ? this.#replace({ ...this.#stored, programs }) : SAVED
    return { program: withoutDigest(program), isGiven, saved }
  }

  /**
   * Withdraws the order permission of a disconnected key's programs, because another key may get the same id.
   * Takes effect even if it can't be stored. Returns the names of these programs.
   */
  withdrawOrders(profile: string): Withdrawal {
    return this.#withdraw((one) => one.profile === profile)
  }

  /**
   * Binds each program's order permission to the key that is connected now. A program loses its permission if
   * the permission is bound to an earlier key with the same id, or if the program's key was deleted. Returns
   * the names of the programs that lost it.
   */
  bindOrders({ profiles, isGone }: KeysNow): Withdrawal {
    const [only, ...more] = profiles
    const markOf = ({ profile }: StoredProgram) => {
      const id = profile === ONLY_KEY && more.length === 0 ? only : profile
      return id === undefined ? undefined : this.#deps.keyMark?.(id)
    }
    const withdrawn = this.#withdraw((one) => {
      const mark = markOf(one)
      if (mark === undefined)
        return one.profile !== ONLY_KEY && !profiles.includes(one.profile) && isGone(one.profile)
      return one.ordersOf !== undefined && one.ordersOf !== mark
    })
    const bound = this.#stored.programs.map((one) => {
      const mark = one.maxOrders === undefined || one.ordersOf !== undefined ? undefined : markOf(one)
      return mark === undefined ? one : { ...one, ordersOf: mark }
    })
    if (bound.every((one, at) => one === this.#stored.programs[at])) return withdrawn
    const saved = this.#replace({ ...this.#stored, programs: bound })
    return { ...withdrawn, saved: withdrawn.saved.ok ? saved : withdrawn.saved }
  }

  #withdraw(isTheirs: (program: StoredProgram) => boolean): Withdrawal {
    const withdrawn = this.#stored.programs.filter((one) => one.maxOrders !== undefined && isTheirs(one))
    const names = withdrawn.map(({ name }) => name)
    if (names.length === 0) return { names, saved: SAVED }
    const programs = this.#stored.programs.map((one) => (withdrawn.includes(one) ? withoutOrders(one) : one))
    return { names, saved: this.#replace({ ...this.#stored, programs }) }
  }

  /**
   * The program that a bearer token belongs to. The token is the program's key or a valid local access token.
   */
  ofBearer(bearer: string): Program | undefined {
    const digest = digestOf(bearer)
    const token = this.#tokens.get(digest)
    if (token === undefined) return this.#all().find(({ keyDigest }) => keyDigest === digest)
    if (token.endsAtMs > this.#deps.clock.monotonicMs())
      return this.#all().find(({ id }) => id === token.program)
    this.#tokens.delete(digest)
    return undefined
  }

  /** A local access token for the program with this key. `undefined` for an unknown key. */
  tokenFor(key: string): { readonly token: string; readonly program: Program } | undefined {
    const digest = digestOf(key)
    const program = this.#all().find(({ keyDigest }) => keyDigest === digest)
    if (program === undefined) return undefined
    const own = [...this.#tokens].filter(([, { program: id }]) => id === program.id)
    const [oldest] = own
    if (oldest !== undefined && own.length >= MAX_TOKENS_PER_PROGRAM) this.#tokens.delete(oldest[0])
    const token = newSecret(this.#deps.randomBytes)
    const endsAtMs = this.#deps.clock.monotonicMs() + LOCAL_TOKEN_SECONDS * 1000
    this.#tokens.set(digestOf(token), { program: program.id, endsAtMs })
    return { token, program }
  }

  #freeId(): string {
    let number = this.#stored.programs.length + 1
    while (this.#usedIds.has(`program-${number}`)) number += 1
    return `program-${number}`
  }

  /** Applies a change even if it can't be stored. */
  #replace(next: Stored): Saved {
    const saved = this.#save(next)
    this.#stored = next
    return saved
  }

  #save(next: Stored): Saved {
    const saved = this.#file.write(next)
    if (saved.ok) this.#stored = next
    return saved
  }
}

const withoutDigest = ({ keyDigest: _, ordersOf: __, ...program }: StoredProgram): Program => program

const withoutOrders = ({ maxOrders: _, ordersOf: __, ...program }: StoredProgram): StoredProgram => program

const sameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

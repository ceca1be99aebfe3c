/** A member as far as it matters for who announces alerts. */
interface Announcing {
  readonly id: string
  /** How long ago a person last looked at its Headroom, in ms; absent if that is unknown. */
  readonly inputAge?: number | undefined
}

/** An age below this is as good as another, so that two machines in use don't take turns. Milliseconds. */
const RECENT_MS = 60_000

/**
 * The member that announces alerts for the whole desk: the one that a person used last. Between machines in
 * use within the last minute, and between machines whose use is unknown, the smallest id decides.
 */
export function announcerOf(present: readonly Announcing[]): string | undefined {
  const rank = ({ inputAge = Number.POSITIVE_INFINITY }: Announcing) => Math.max(RECENT_MS, inputAge)
  const order = (a: Announcing, b: Announcing) => {
    const [first, second] = [rank(a), rank(b)]
    return first === second ? a.id.localeCompare(b.id) : first - second
  }
  return [...present].sort(order)[0]?.id
}

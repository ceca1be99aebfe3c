/** The fields of a desk member that decide which member announces alerts. */
interface Announcing {
  readonly id: string
  /** Time since a person last used this member's Headroom, in milliseconds. Absent if unknown. */
  readonly inputAge?: number | undefined
}

/**
 * Machines that a person last used within this time count as equally recent. Otherwise, two machines in use
 * would take turns at announcing. Milliseconds.
 */
const RECENT_MS = 60_000

/**
 * The id of the member that announces alerts for the whole desk: the machine that a person used last. Of
 * several machines used within the last minute, the smallest id announces. If the last use is unknown for all
 * machines, the smallest id announces too.
 */
export function announcerOf(present: readonly Announcing[]): string | undefined {
  const rank = ({ inputAge = Number.POSITIVE_INFINITY }: Announcing) => Math.max(RECENT_MS, inputAge)
  const order = (a: Announcing, b: Announcing) => {
    const [first, second] = [rank(a), rank(b)]
    return first === second ? a.id.localeCompare(b.id) : first - second
  }
  return [...present].sort(order)[0]?.id
}

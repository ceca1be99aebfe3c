/** Deletes the oldest entries of a map or set until at most `most` are left. */
export function keepNewest<K>(entries: Map<K, unknown> | Set<K>, most: number): void {
  for (const oldest of entries.keys()) {
    if (entries.size <= most) return
    entries.delete(oldest)
  }
}

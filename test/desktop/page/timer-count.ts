/** How often timers of the app's own code (not Playwright's, not the double's) came due, by who set them. */
const fired = new Map<string, number>()

const real = globalThis.setTimeout

/** `setInterval` is not counted because nothing of ours uses it: the clock port has `after` only. */
export function countTimers(): void {
  const counting = (run: () => void, ms?: number) => {
    // The frames: this function, the clock port, and who asked it.
    const [, , , setter = ''] = new Error().stack?.split('\n') ?? []
    return real(() => {
      if (setter.includes('/dist/')) fired.set(setter, (fired.get(setter) ?? 0) + 1)
      run()
    }, ms)
  }
  globalThis.setTimeout = Object.assign(counting, real) as typeof setTimeout
}

/** Each timer's count within the next `forMs`. */
export async function timersDue(forMs: number): Promise<Readonly<Record<string, number>>> {
  fired.clear()
  await new Promise((resolve) => real(resolve, forMs))
  return Object.fromEntries([...fired].map(([setter, count]) => [setter.trim().replace(/\(.*/, ''), count]))
}

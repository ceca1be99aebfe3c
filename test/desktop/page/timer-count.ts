/**
 * How often timers of the app's own code fired, by the code that set them. Timers of Playwright and of the
 * double are left out.
 */
const fired = new Map<string, number>()

const real = globalThis.setTimeout

/**
 * Counts `setTimeout` only. The app's code does not use `setInterval`, because the clock port only has
 * `after`.
 */
export function countTimers(): void {
  const counting = (run: () => void, ms?: number) => {
    // The stack frames are this function, the clock port, and the caller of the port.
    const [, , , setter = ''] = new Error().stack?.split('\n') ?? []
    return real(() => {
      if (setter.includes('/dist/')) fired.set(setter, (fired.get(setter) ?? 0) + 1)
      run()
    }, ms)
  }
  globalThis.setTimeout = Object.assign(counting, real) as typeof setTimeout
}

/** Number of times that each timer fires within the next `forMs`. */
export async function timersDue(forMs: number): Promise<Readonly<Record<string, number>>> {
  fired.clear()
  await new Promise((resolve) => real(resolve, forMs))
  return Object.fromEntries([...fired].map(([setter, count]) => [setter.trim().replace(/\(.*/, ''), count]))
}

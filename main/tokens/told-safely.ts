import type { KeeperDeps } from './keeper.ts'

/** What is told comes last, and may not stop what tokens depend on. */
export function toldSafely(deps: KeeperDeps): KeeperDeps {
  const safely = (tell: () => void) => {
    try {
      tell()
    } catch (error) {
      deps.broke?.(error)
    }
  }
  return {
    ...deps,
    changed: () => safely(deps.changed),
    event: (event) => safely(() => deps.event(event)),
    reached: (...told) => safely(() => deps.reached(...told)),
  }
}

import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import { browserClock } from '../api/window-clock.ts'

/** Time between two attempts to load code, in milliseconds. */
const RETRY_MS = 2_000
/** How Chromium, Firefox, Safari and Vite name code or styles that could not be fetched. */
const NOT_FETCHED = /dynamically imported module|Importing a module script|preload CSS/

/**
 * A component in a chunk of its own, loaded when it is first rendered. While Headroom can't be reached, the
 * fallback of its `Suspense` stays, and loading is tried again.
 */
export const loadedLater = <Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> => lazy(async () => ({ default: await fetched(load) }))

/** Tries again while the code can't be fetched. Any other error is thrown: the code itself is wrong. */
export async function fetched<Code>(load: () => Promise<Code>): Promise<Code> {
  for (;;) {
    try {
      return await load()
    } catch (error) {
      if (!NOT_FETCHED.test(String(error))) throw error
      await new Promise<void>((resolve) => browserClock.after(RETRY_MS, resolve))
      // Vite requests each stylesheet only once, even if the request failed. If a failed link is replaced by
      // a copy, the browser requests the stylesheet again.
      for (const sheet of document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]'))
        if (sheet.sheet === null) sheet.replaceWith(sheet.cloneNode())
    }
  }
}

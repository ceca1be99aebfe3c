import { type ComponentType, lazy } from 'react'
import { browserClock } from '../api/window-clock.ts'

/** Time between two attempts to load code, in milliseconds. */
const RETRY_MS = 2_000
/** Texts with which Chromium, Firefox, Safari and Vite report code or styles that can't be fetched. */
const NOT_FETCHED = /dynamically imported module|Importing a module script|preload CSS/

/**
 * A component in its own chunk, loaded when the component is first rendered. While Headroom can't be reached,
 * loading is retried, and the component's `Suspense` shows its fallback.
 */
export const loadedLater = <Props extends object>(load: () => Promise<ComponentType<Props>>) =>
  lazy(async () => ({ default: await fetched(load) }))

/** Retries while the code can't be fetched. Throws any other error, because then the code is faulty. */
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

import { useCallback, useSyncExternalStore } from 'react'

/**
 * Whether a media query matches now. Meant for cases that a style sheet cannot handle, such as a number of
 * items that depends on the space.
 */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const list = matchMedia(query)
      list.addEventListener('change', listener)
      return () => list.removeEventListener('change', listener)
    },
    [query],
  )
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches)
}

import { startTransition, useEffect, useState } from 'react'
import { useParts } from '../state/window-parts.ts'

/** A dragged slider moves many times in this time. */
const REST_MS = 250

/** The value that was the last one for a while, drawn once there is time; the first one at once. */
export function useRested<T>(value: T): T {
  const { clock } = useParts()
  const [rested, setRested] = useState(value)
  useEffect(() => clock.after(REST_MS, () => startTransition(() => setRested(value))), [clock, value])
  return rested
}

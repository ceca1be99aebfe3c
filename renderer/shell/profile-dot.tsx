import { keyStatus } from '../../app/status/key-status.ts'
import { Shape } from '../components/shape.tsx'
import { useShown } from '../state/window-parts.ts'

/** The severity of the key, as in its headline. */
export function ProfileDot() {
  const severity = useShown((snapshot, nowMs) => keyStatus(snapshot, nowMs).severity) ?? 'unseen'
  return <Shape severity={severity} />
}

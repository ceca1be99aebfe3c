import { keyStatus } from '../../app/status/key-status.ts'
import { Shape } from '../components/shape.tsx'
import { useShown } from '../state/window-parts.ts'

/** How the key stands, as its headline has it. */
export function ProfileDot() {
  const severity = useShown((snapshot, nowMs) => keyStatus(snapshot, nowMs).severity) ?? 'unseen'
  return <Shape severity={severity} />
}

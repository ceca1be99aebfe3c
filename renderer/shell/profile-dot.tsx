import { keyStatus } from '../../app/status/key-status.ts'
import { Shape } from '../theme/shape.tsx'
import { useShown } from '../view/window-parts.ts'

/** How the key stands, as its headline has it. */
export function ProfileDot() {
  const severity = useShown((snapshot, nowMs) => keyStatus(snapshot, nowMs).severity) ?? 'unseen'
  return <Shape severity={severity} />
}

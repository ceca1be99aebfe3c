import { Shape } from '../theme/shape.tsx'
import { useShown } from '../view/window-parts.ts'

/** Whether the key's service answers. */
export function ProfileDot() {
  const reachable = useShown((snapshot) => snapshot.service.reachable) ?? false
  return <Shape severity={reachable ? 'ok' : 'watch'} />
}

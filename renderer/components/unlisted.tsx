import type { Snapshot } from '../../app/contract/snapshot.ts'
import { unlistedText } from '../../app/status/sentences.ts'
import { useShown } from '../state/window-parts.ts'

/** Shows how many items of a list the snapshot omits. Renders nothing if it omits none. */
export function Unlisted({ of }: { readonly of: keyof NonNullable<Snapshot['unlisted']> }) {
  const text = useShown(({ unlisted }) => unlistedText(unlisted?.[of])) ?? ''
  return text === '' ? null : <span data-testid={`unlisted-${of}`}>{text}</span>
}

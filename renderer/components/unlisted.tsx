import type { Snapshot } from '../../app/contract/snapshot.ts'
import { unlistedText } from '../../app/status/sentences.ts'
import { useShown } from '../state/window-parts.ts'

/** Number of list items that do not fit in the snapshot. Renders nothing if all fit. */
export function Unlisted({ of }: { readonly of: keyof NonNullable<Snapshot['unlisted']> }) {
  const text = useShown(({ unlisted }) => unlistedText(unlisted?.[of])) ?? ''
  return text === '' ? null : <span data-testid={`unlisted-${of}`}>{text}</span>
}

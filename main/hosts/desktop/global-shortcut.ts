import type { Log } from '../../ports/ports.ts'
import { SHORTCUT } from './desktop-actions.ts'
import type { ElectronPieces } from './electron-pieces.ts'

/** Set or not as wanted; `false` when the system or another program has it already. */
export function setGlobalShortcut(
  { globalShortcut }: Pick<ElectronPieces, 'globalShortcut'>,
  wanted: boolean,
  pressed: () => void,
  log: Log,
): boolean {
  globalShortcut.unregister(SHORTCUT)
  if (!wanted) return true
  const isOurs = globalShortcut.register(SHORTCUT, pressed)
  if (!isOurs) log.note('another program has the shortcut', { shortcut: SHORTCUT })
  return isOurs
}

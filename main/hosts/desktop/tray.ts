import { keyStatus } from '../../../app/conditions/key-status.ts'
import { mostUrgent, type Severity } from '../../../app/contract/severity.ts'
import type { Snapshot } from '../../../app/contract/snapshot.ts'
import { type MonitorSurface, snapshotsOf } from '../../monitor/monitor-surface.ts'
import type { Clock } from '../../ports/ports.ts'
import type { DesktopActions, DesktopChoices } from './desktop-actions.ts'
import type { ElectronPieces } from './electron-pieces.ts'
import { trayPicture } from './icons/draw.ts'
import { png } from './icons/png.ts'
import { trayMenu } from './tray-menu.ts'

export interface TrayDeps {
  readonly electron: Pick<ElectronPieces, 'Menu' | 'nativeImage' | 'Tray'>
  readonly platform: NodeJS.Platform
  readonly monitor: Pick<MonitorSurface, 'profiles' | 'snapshot' | 'subscribe'>
  readonly clock: Clock
  readonly choices: () => DesktopChoices
  readonly actions: DesktopActions
}

/**
 * Minimum time between two updates of the icon in milliseconds. One update per second would be far more than
 * a tray needs.
 */
export const TRAY_EVERY_MS = 2_000
const ICON_SIZES = [16, 32] as const

const NO_KEY = { severity: 'unknown', text: 'No key connected' } as const

/**
 * Shows the most severe status of all keys as a tray icon. The icon is set only when a line or a choice
 * changes, because some desktops flicker whenever an icon is set.
 */
export function openTray({ electron, platform, monitor, clock, choices, actions }: TrayDeps) {
  const images = new Map<Severity, Electron.NativeImage>()
  const imageOf = (severity: Severity) => {
    const image = images.get(severity) ?? makeImage(electron, severity, platform === 'darwin')
    images.set(severity, image)
    return image
  }
  const tray = new electron.Tray(imageOf('unknown'))
  let written = ''
  let due: (() => void) | undefined

  const write = () => {
    const snapshots = snapshotsOf(monitor)
    const lines = snapshots.map((snapshot) => ({
      ...snapshot.profile,
      ...trayLine(snapshot),
      mayOrder: snapshot.orders?.state === 'on' || snapshot.orders?.state === 'failed',
    }))
    const most = mostUrgent(lines) ?? NO_KEY
    const next = JSON.stringify([lines, choices()])
    if (next === written) return
    written = next
    tray.setImage(imageOf(most.severity))
    tray.setToolTip(`Headroom · ${most.text}`)
    tray.setContextMenu(electron.Menu.buildFromTemplate(trayMenu(lines, choices(), actions)))
  }
  const writeSoon = () => {
    due ??= clock.after(TRAY_EVERY_MS, () => {
      due = undefined
      write()
    })
  }
  const unsubscribe = monitor.subscribe({ changed: writeSoon, event: () => {}, removed: writeSoon })
  // On macOS a click opens the menu, which has an item for the window.
  if (platform !== 'darwin') tray.on('click', actions.showWindow)
  write()
  return {
    /** Updates the checked menu items. */
    changed: write,
    close: () => {
      unsubscribe()
      due?.()
      tray.destroy()
    },
  }
}

function makeImage(
  { nativeImage }: Pick<ElectronPieces, 'nativeImage'>,
  severity: Severity,
  isTemplate: boolean,
): Electron.NativeImage {
  const image = nativeImage.createEmpty()
  for (const size of ICON_SIZES) {
    const buffer = png(trayPicture(severity, size, isTemplate))
    image.addRepresentation({ scaleFactor: size / ICON_SIZES[0], width: size, height: size, buffer })
  }
  image.setTemplateImage(isTemplate)
  return image
}

/**
 * The line of a profile: `Positions running out about 14:35`, `ok · tightest: Accounts 61 %`. It contains
 * times of day, not countdowns, so it stays correct without updates.
 */
export function trayLine(snapshot: Snapshot): { readonly severity: Severity; readonly text: string } {
  const status = keyStatus(snapshot, snapshot.at)
  const { severity, subject, moment, name } = status
  if (moment === '') return { severity, text: name }
  return { severity, text: subject === undefined ? `${name} · ${moment}` : `${name} ${moment}` }
}

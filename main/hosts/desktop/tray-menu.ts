import type { MenuItemConstructorOptions } from 'electron'
import type { UpdateState } from '../../../app/contract/updates.ts'
import { updateLabel } from '../../../app/status/update-status.ts'
import { type DesktopActions, type DesktopChoices, SHORTCUT } from './desktop-actions.ts'

/** A profile in the tray's menu, with its status as text. */
export interface TrayProfile {
  readonly name: string
  readonly environment: string
  readonly text: string
  readonly mayOrder: boolean
}

/** The tray's menu: a line per profile, then actions and choices. */
export function trayMenu(
  profiles: readonly TrayProfile[],
  choices: DesktopChoices,
  actions: DesktopActions,
): MenuItemConstructorOptions[] {
  return [
    ...profiles.map(
      (profile): MenuItemConstructorOptions => ({ label: labelOf(profile), click: actions.showWindow }),
    ),
    { type: 'separator' },
    { label: 'Open Headroom', click: actions.showWindow },
    { label: 'Try again now', click: actions.tryNow },
    ...(profiles.some(({ mayOrder }) => mayOrder)
      ? [{ label: 'Stop Orders (Cancels Nothing at the Broker)', click: actions.stopOrders }]
      : []),
    ...choiceItems(choices, actions),
    { type: 'separator' },
    { label: 'Save Report…', click: actions.saveReport },
    { label: 'Quit Headroom', click: actions.quit },
  ]
}

/** The items for a person's choices. The window's menu has them too. */
export function choiceItems(choices: DesktopChoices, actions: DesktopActions): MenuItemConstructorOptions[] {
  const choice = (
    label: string,
    checked: boolean,
    choose: (wanted: boolean) => void,
    enabled = true,
  ): MenuItemConstructorOptions => ({
    label,
    type: 'checkbox',
    checked,
    enabled,
    click: () => choose(!checked),
  })
  const { setOpenAtLogin } = actions
  return [
    choice('Compact Strip', choices.stripShown, actions.toggleStrip),
    { type: 'separator' },
    choice(
      'Keep Running in the Tray',
      choices.closeToTray && choices.hasTray,
      actions.setCloseToTray,
      choices.hasTray,
    ),
    ...(setOpenAtLogin === undefined ? [] : [choice('Start at Login', choices.openAtLogin, setOpenAtLogin)]),
    choice('Keep Awake While a Key Rotates', choices.keepAwake, actions.setKeepAwake),
    choice(`Shortcut ${SHORTCUT}`, choices.globalShortcut, actions.setGlobalShortcut),
    { type: 'separator' },
    ...(choices.updates.kind === 'no-feed'
      ? []
      : [choice('Check for Updates', choices.updates.kind !== 'off', actions.setCheckForUpdates)]),
    ...versionItem(choices.updates, actions),
  ]
}

/** The item for a newer version, or for the reason why updates are unavailable. */
function versionItem(updates: UpdateState, actions: DesktopActions): MenuItemConstructorOptions[] {
  const label = updateLabel(updates)
  if (label === undefined) return []
  const isForInformation = updates.kind === 'no-feed' || updates.kind === 'downloading'
  return [isForInformation ? { label, enabled: false } : { label, click: actions.proceedWithUpdate }]
}

/** The label of a profile. Ampersands are doubled, because a single one underlines the next letter. */
function labelOf({ name, environment, text }: TrayProfile): string {
  return `${name} · ${environment.toUpperCase()} — ${text}`.replaceAll('&', '&&')
}

import type { MenuItemConstructorOptions } from 'electron'
import { expect, test } from 'vitest'
import type { UpdateState } from '../../../../app/contract/updates.ts'
import type { DesktopActions } from '../../../../main/hosts/desktop/desktop-actions.ts'
import { choiceItems, trayMenu } from '../../../../main/hosts/desktop/tray-menu.ts'

/** The part of the menu about newer versions, which is below the last separator. */
function updateItems(updates: UpdateState, heard: string[] = []): MenuItemConstructorOptions[] {
  const actions = {
    setCheckForUpdates: (wanted: boolean) => void heard.push(`look: ${wanted}`),
    proceedWithUpdate: () => void heard.push('proceed'),
  } as unknown as DesktopActions
  const ticks = { stripShown: false, closeToTray: true, globalShortcut: false, keepAwake: false }
  const items = choiceItems({ ...ticks, hasTray: true, openAtLogin: false, updates }, actions)
  return items.slice(items.findLastIndex(({ type }) => type === 'separator') + 1)
}

const click = (item: MenuItemConstructorOptions | undefined) => (item?.click as (() => void) | undefined)?.()

test('an app without a feed shows that there are no updates, and why', () => {
  expect(updateItems({ kind: 'no-feed' })).toEqual([
    { label: 'No Updates: Built on This Computer', enabled: false },
  ])
})

test('checking for updates is a checkbox, on and off', () => {
  const heard: string[] = []
  const [on] = updateItems({ kind: 'none' }, heard)
  const [off] = updateItems({ kind: 'off' }, heard)
  expect([on?.label, on?.checked, off?.checked]).toEqual(['Check for Updates', true, false])
  click(on)
  click(off)
  expect(heard).toEqual(['look: false', 'look: true'])
})

test('a newer version is one more item, which says what a click does', () => {
  const labelled = (kind: 'available' | 'downloading' | 'ready' | 'failed') => {
    const heard: string[] = []
    const item = updateItems({ kind, version: '2.0.0' }, heard)[1]
    if (item?.enabled !== false) click(item)
    return [item?.label, heard]
  }
  expect(labelled('available')).toEqual(['Get Headroom 2.0.0…', ['proceed']])
  expect(labelled('downloading')).toEqual(['Downloading Headroom 2.0.0…', []])
  expect(labelled('ready')).toEqual(['Restart to Install Headroom 2.0.0', ['proceed']])
  expect(labelled('failed')).toEqual(['Headroom 2.0.0 Could Not Be Downloaded: Open Its Page…', ['proceed']])
})

test('orders can be stopped while they may pass on any key, and nothing shows while they may not', () => {
  const heard: string[] = []
  const actions = { stopOrders: () => void heard.push('stopped') } as unknown as DesktopActions
  const ticks = { stripShown: false, closeToTray: true, globalShortcut: false, keepAwake: false }
  const choices = { ...ticks, hasTray: true, openAtLogin: false, updates: { kind: 'no-feed' } } as const
  const profile = { name: 'Main key', environment: 'live', text: 'ok' }
  const items = (...mayOrder: readonly boolean[]) =>
    trayMenu(
      mayOrder.map((may) => ({ ...profile, mayOrder: may })),
      choices,
      actions,
    ).filter(({ label }) => label?.includes('Orders'))
  expect(items(false, false)).toEqual([])
  const [item, ...others] = items(false, true)
  expect([item?.label, others]).toEqual(['Stop Orders (Cancels Nothing at the Broker)', []])
  click(item)
  expect(heard).toEqual(['stopped'])
})

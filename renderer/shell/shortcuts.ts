import type { RowActions } from '../capacity/use-groups.ts'
import type { LookStore } from '../state/look.ts'
import { CHART_RANGES, type ChartRange, type ViewState, type ViewStore } from '../state/view-state.ts'

export interface Shortcut {
  readonly keys: readonly string[]
  readonly does: string
  readonly run: (doing: Doing) => void
}

/** The stores and functions that the actions of shortcuts need. */
export interface Doing {
  readonly view: ViewStore
  readonly look: LookStore
  readonly togglePause: () => void
  readonly rows: RowActions
  readonly focus: (selector: string) => void
  readonly canOpenStream: () => boolean
}

const show =
  (part: Partial<ViewState>) =>
  ({ view }: Doing) =>
    view.setState(part)

const CHART_NAMES: Readonly<Record<ChartRange, string>> = {
  '15 min': '15-minute',
  '1 h': '1-hour',
  '24 h': '24-hour',
  '7 d': '7-day',
}

export const SHORTCUTS: readonly Shortcut[] = [
  { keys: ['j', 'ArrowDown'], does: 'Next row', run: ({ rows }) => rows.step(1) },
  { keys: ['k', 'ArrowUp'], does: 'Previous row', run: ({ rows }) => rows.step(-1) },
  { keys: ['J'], does: 'Move the row down', run: ({ rows }) => rows.move(1) },
  { keys: ['K'], does: 'Move the row up', run: ({ rows }) => rows.move(-1) },
  { keys: ['*'], does: 'Pin the row on top, or unpin it', run: ({ rows }) => rows.pin() },
  { keys: ['h'], does: 'Hide the row', run: ({ rows }) => rows.hide() },
  {
    keys: ['w'],
    does: 'Follow the worst row, or stop following',
    run: ({ look }) => look.setState(({ followsWorst }) => ({ followsWorst: !followsWorst })),
  },
  ...CHART_RANGES.map((range, index) => ({
    keys: [String(index + 1)],
    does: `${CHART_NAMES[range]} chart`,
    run: show({ range, panel: 'chart' }),
  })),
  {
    keys: ['m'],
    does: 'Maximise the chart, or restore it',
    run: ({ view }) => view.setState(({ maximised }) => ({ maximised: !maximised })),
  },
  { keys: ['t'], does: 'Chart as a table', run: show({ panel: 'table' }) },
  { keys: ['d'], does: 'Details of the row', run: show({ panel: 'details' }) },
  {
    keys: ['o'],
    does: 'Open a stream',
    run: ({ view, canOpenStream }) => {
      if (canOpenStream()) view.setState({ dialog: 'open-stream' })
    },
  },
  { keys: ['a'], does: 'Alerts', run: show({ dialog: 'alerts' }) },
  { keys: ['r'], does: 'Report', run: show({ dialog: 'report' }) },
  { keys: ['s', ','], does: 'Settings', run: show({ dialog: 'settings' }) },
  { keys: ['f', '/'], does: 'Filter events', run: ({ focus }) => focus('#event-filter') },
  { keys: ['p'], does: 'Pause, resume', run: ({ togglePause }) => togglePause() },
  {
    keys: ['g', '0'],
    does: 'Glance: one key large, and all keys',
    run: ({ view }) => view.setState(({ page }) => ({ page: page === 'glance' ? 'dashboard' : 'glance' })),
  },
  {
    keys: ['P'],
    does: 'Plan: check whether programs fit',
    run: ({ view }) => view.setState(({ page }) => ({ page: page === 'plan' ? 'dashboard' : 'plan' })),
  },
  { keys: ['?'], does: 'This list', run: show({ dialog: 'shortcuts' }) },
]

const KEY_NAMES: Readonly<Record<string, string>> = { ArrowDown: '↓', ArrowUp: '↑' }

export const keyName = (key: string): string => KEY_NAMES[key] ?? key

/** Whether a key press opens the palette: Ctrl+K, or ⌘K on a Mac. */
export const opensPalette = ({ key, ctrlKey, metaKey, altKey }: Press): boolean =>
  key.toLowerCase() === 'k' && ctrlKey !== metaKey && !altKey

type Press = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'defaultPrevented'>

/** The shortcut of a key press. `undefined` while a field, menu or dialog has the focus. */
export function shortcutFor(press: Press, isBusy: boolean, look: LookStore): Shortcut | undefined {
  if (isBusy || press.defaultPrevented || press.ctrlKey || press.metaKey || press.altKey) return undefined
  if (!look.getState().shortcuts) return undefined
  return SHORTCUTS.find(({ keys }) => keys.includes(press.key))
}

const OWN_KEYS = 'input, select, textarea, [role=menu], [role=menuitem], [role=dialog], [role=alertdialog]'

/** Whether the focused element handles the key itself, such as arrow keys in a scrolling list. */
export function usesKeys(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof Element)) return false
  if (target.closest(OWN_KEYS) !== null) return true
  return key.startsWith('Arrow') && target.closest('[tabindex="0"], [aria-haspopup]') !== null
}

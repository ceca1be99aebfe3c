import { createStore, type StoreApi } from 'zustand/vanilla'
import { ALERT_SEVERITIES, type AlertSeverity } from '../../app/contract/alerts.ts'
import { TIME_ZONES, type TimeZone } from '../../app/contract/units.ts'
import { showTimesIn } from '../../app/status/moments.ts'
import type { LinkSource, WindowApi } from '../api/window-api.ts'
import { applyTheme, readTheme, type Theme } from '../theme/theme.ts'
import { AS_DELIVERED, type RowArrangement, storedArrangement } from './row-groups.ts'

export const DENSITIES = ['auto', 'roomy', 'dense'] as const
type Density = (typeof DENSITIES)[number]

/** Preferences of this screen. They contain no secret, and their loss does no harm. */
export interface Look {
  readonly theme: Theme
  /** `auto` follows the window's height. */
  readonly density: Density
  /** Whether "full at" is a time of day or a countdown. */
  readonly fullAs: 'clock' | 'countdown'
  /**
   * The zone of every time of day. Main stores it for the whole app. This copy is for the window's first
   * paint.
   */
  readonly zone: TimeZone
  /** Whether the chart follows the worst row instead of the chosen one. */
  readonly followsWorst: boolean
  /** How the table's rows are arranged: their order, and which of them are hidden or pinned. */
  readonly rows: RowArrangement
  /** Whether shortcuts are on. People whose speech input types single keys can turn them off (WCAG 2.1.4). */
  readonly shortcuts: boolean
  /** Severities whose alerts make a sound. Empty unless a person has turned some on. */
  readonly sounds: readonly AlertSeverity[]
  /** Whether this browser shows notifications, if its user permits them. */
  readonly notifications: boolean
}

/** The stored severities with sounds. An earlier version wrote `info` for `ok`. */
const storedSounds = (stored: string | null): readonly AlertSeverity[] => {
  const words = stored?.split(' ') ?? []
  return ALERT_SEVERITIES.filter((one) => words.includes(one) || (one === 'ok' && words.includes('info')))
}

export type LookStore = StoreApi<Look>

const KEYS = {
  density: 'headroom.density',
  fullAs: 'headroom.full-as',
  followsWorst: 'headroom.follows-worst',
  rows: 'headroom.rows',
  shortcuts: 'headroom.shortcuts',
  zone: 'headroom.time-zone',
  sounds: 'headroom.sounds',
  notifications: 'headroom.notifications',
} as const

export interface LookPorts {
  readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
  readonly root: HTMLElement
}

export function createLook({ storage, root }: LookPorts): LookStore {
  const store = createStore<Look>(() => ({
    theme: readTheme(storage),
    density: DENSITIES.find((one) => one === storage.getItem(KEYS.density)) ?? 'auto',
    fullAs: storage.getItem(KEYS.fullAs) === 'countdown' ? 'countdown' : 'clock',
    followsWorst: storage.getItem(KEYS.followsWorst) === 'on',
    rows: storedArrangement(storage.getItem(KEYS.rows)),
    shortcuts: storage.getItem(KEYS.shortcuts) !== 'off',
    zone: TIME_ZONES.find((one) => one === storage.getItem(KEYS.zone)) ?? 'local',
    sounds: storedSounds(storage.getItem(KEYS.sounds)),
    notifications: storage.getItem(KEYS.notifications) === 'on',
  }))
  const keep = (name: keyof typeof KEYS, value: string | undefined) =>
    value === undefined ? storage.removeItem(KEYS[name]) : storage.setItem(KEYS[name], value)
  const apply = (look: Look) => {
    applyTheme(look.theme, root, storage)
    showTimesIn(look.zone)
    if (look.density === 'auto') delete root.dataset['density']
    else root.dataset['density'] = look.density
    keep('density', look.density === 'auto' ? undefined : look.density)
    keep('fullAs', look.fullAs === 'clock' ? undefined : look.fullAs)
    keep('zone', look.zone === 'local' ? undefined : look.zone)
    keep('followsWorst', look.followsWorst ? 'on' : undefined)
    keep('rows', isAsDelivered(look.rows) ? undefined : JSON.stringify(look.rows))
    keep('shortcuts', look.shortcuts ? undefined : 'off')
    keep('sounds', look.sounds.length === 0 ? undefined : look.sounds.join(' '))
    keep('notifications', look.notifications ? 'on' : undefined)
  }
  apply(store.getState())
  store.subscribe(apply)
  return store
}

const isAsDelivered = (rows: RowArrangement) => JSON.stringify(rows) === JSON.stringify(AS_DELIVERED)

export interface ZonePorts {
  readonly api: Pick<WindowApi, 'timeZone' | 'timeZoneChanged'>
  readonly link: LinkSource
  readonly look: LookStore
}

/** Keeps the zone in sync with main. Fetches it at each connection, and follows each change. */
export function followZone({ api, link, look }: ZonePorts): void {
  const show = (zone: TimeZone) => look.setState({ zone })
  const ask = () => {
    if (link.current().kind !== 'live') return
    // The link reports a lost host. Meanwhile, the window's copy of the zone applies.
    api.timeZone().then(show, () => {})
  }
  api.timeZoneChanged(show)
  link.subscribe(ask)
  ask()
}

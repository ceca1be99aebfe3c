import { createStore, type StoreApi } from 'zustand/vanilla'
import type { Snapshot } from '../../app/contract/snapshot.ts'
import type { PlanDraft } from './plan-draft.ts'
import type { RowGroupId } from './row-groups.ts'

/** A person's choices for the display. None of them comes from the service. */
export interface ViewState {
  readonly profile: string | undefined
  readonly category: string | undefined
  /** Groups of the table that also show rows for which no quota header has arrived yet. */
  readonly openGroups: readonly RowGroupId[]
  readonly dialog: Dialog | undefined
  /** The last error of a command, in main's words. */
  readonly notice: string | undefined
  readonly range: ChartRange
  readonly panel: HistoryView
  readonly page: Page
  /** The edited plan of one key. Kept while another page is open. */
  readonly plan: PlanDraft | undefined
  /** Whether the chart replaces the table and the panels next to it. */
  readonly maximised: boolean
}

/** The page. `glance` shows one key, readable from afar. */
export type Page = 'dashboard' | 'programs' | 'plan' | 'glance'

export type Dialog =
  | 'open-stream'
  | 'revoke'
  | 'connect'
  | 'sign-in'
  | 'disconnect'
  | 'alerts'
  | 'report'
  | 'settings'
  | 'shortcuts'
  | 'findings'
  | 'palette'
  | 'allow-orders'
  | 'create-desk'
  | 'join-desk'
  | 'invite-to-desk'
  | 'leave-desk'
  | 'replace-desk-secret'

export const CHART_RANGES = ['15 min', '1 h', '24 h', '7 d'] as const
export type ChartRange = (typeof CHART_RANGES)[number]

/** The view of the chosen row: its history as a chart or a table, or its details. */
export type HistoryView = 'chart' | 'table' | 'details'

export type ViewStore = StoreApi<ViewState>

export const createView = (): ViewStore =>
  createStore<ViewState>(() => ({
    profile: undefined,
    category: undefined,
    openGroups: [],
    dialog: undefined,
    notice: undefined,
    range: '15 min',
    panel: 'chart',
    page: 'dashboard',
    plan: undefined,
    maximised: false,
  }))

/** A dialog or panel about one key. */
export interface OfKey {
  readonly profile: Snapshot['profile']
}

import { createStore, type StoreApi } from 'zustand/vanilla'

/** What the person chose to look at. Nothing here says anything about the service. */
export interface ViewState {
  readonly profile: string | undefined
  readonly category: string | undefined
  readonly dialog: Dialog | undefined
  /** The last refusal, in the words main gave. */
  readonly notice: string | undefined
}

export type Dialog = 'open-stream' | 'revoke' | 'connect' | 'sign-in' | 'disconnect'

export type ViewStore = StoreApi<ViewState>

export const createView = (): ViewStore =>
  createStore<ViewState>(() => ({
    profile: undefined,
    category: undefined,
    dialog: undefined,
    notice: undefined,
  }))

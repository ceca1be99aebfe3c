import type { AppContract } from '../../app/contract/contract.ts'
import type { Api } from '../../app/contract/ipc.ts'

/** The commands and pushes of a window, the same in every host. */
export type WindowApi = Api<AppContract>

declare global {
  interface Window {
    /** Set by the desktop's preload script; absent in a browser. */
    readonly headroom?: WindowApi
  }
}

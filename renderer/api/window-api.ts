import type { AppContract } from '../../app/contract/contract.ts'
import type { Api } from '../../app/contract/ipc.ts'

/** The commands and pushes of the window, the same in every host. */
export type WindowApi = Api<AppContract>

declare global {
  interface Window {
    /** Put there by the desktop's preload script; absent in a browser. */
    readonly headroom?: WindowApi
  }
}

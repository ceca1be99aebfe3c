import type { AppContract } from '../../app/contract/contract.ts'
import type { Api } from '../../app/contract/ipc.ts'

/** Everything the window can ask and be told, whichever host it runs in. */
export type WindowApi = Api<AppContract>

declare global {
  interface Window {
    /** Put there by the desktop's preload script; absent in a browser. */
    readonly headroom?: WindowApi
  }
}

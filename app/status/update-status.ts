import type { UpdateState } from '../contract/updates.ts'

/** A newer version as notifications and the settings name it: `Headroom 1.2.0 is out`. */
export const newVersionText = (version: string): string => `Headroom ${version} is out`

/** What a notification adds to it, and the settings. */
export const CHOSEN_IN_MENU = 'Nothing is installed until you choose it in the menu.'

/** A sentence for the settings. */
export function updateText(state: UpdateState): string {
  switch (state.kind) {
    case 'no-feed':
      return 'No updates: built on this computer.'
    case 'off':
      return 'Newer versions are not looked for.'
    case 'none':
      return 'No newer version is known.'
    case 'available':
      return `${newVersionText(state.version)}. ${CHOSEN_IN_MENU}`
    case 'downloading':
      return `Fetching Headroom ${state.version}…`
    case 'ready':
      return `Headroom ${state.version} is fetched. ${CHOSEN_IN_MENU}`
    case 'failed':
      return `Headroom ${state.version} could not be fetched: see its page, from the menu.`
  }
}

/** The same as the label of a menu's item, in a menu's capitals; `undefined` where there is nothing to choose. */
export function updateLabel(state: UpdateState): string | undefined {
  switch (state.kind) {
    case 'no-feed':
      return 'No Updates: Built on This Computer'
    case 'off':
    case 'none':
      return undefined
    case 'available':
      return `Get Headroom ${state.version}…`
    case 'downloading':
      return `Fetching Headroom ${state.version}…`
    case 'ready':
      return `Restart to Install Headroom ${state.version}`
    case 'failed':
      return `Headroom ${state.version} Could Not Be Fetched: See Its Page…`
  }
}

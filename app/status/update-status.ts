import type { UpdateState } from '../contract/updates.ts'

/** Announces a newer version in notifications and settings: `Headroom 1.2.0 is out`. */
export const newVersionText = (version: string): string => `Headroom ${version} is out`

/** Shown after `newVersionText`, or after the message about a finished download. */
export const CHOSEN_IN_MENU = 'It is installed only if you choose that in the menu.'

/** A sentence about a newer version, for the settings. */
export function updateText(state: UpdateState): string {
  switch (state.kind) {
    case 'no-feed':
      return 'This Headroom was built on this computer, so it gets no updates.'
    case 'off':
      return 'Update checks are off.'
    case 'none':
      return 'No newer version found.'
    case 'available':
      return `${newVersionText(state.version)}. ${CHOSEN_IN_MENU}`
    case 'downloading':
      return `Downloading Headroom ${state.version}…`
    case 'ready':
      return `Headroom ${state.version} is downloaded. ${CHOSEN_IN_MENU}`
    case 'failed':
      return `Headroom ${state.version} couldn’t be downloaded. Open its page from the menu.`
  }
}

/**
 * The label of the update's menu item, capitalised as in menus. `undefined` if there is nothing to choose.
 */
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
      return `Downloading Headroom ${state.version}…`
    case 'ready':
      return `Restart to Install Headroom ${state.version}`
    case 'failed':
      return `Headroom ${state.version} Could Not Be Downloaded: Open Its Page…`
  }
}

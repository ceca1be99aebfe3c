import { dialog, Menu } from 'electron'

/**
 * Runs first in the main process of a staged app and writes to stdout what only that process can know.
 *
 * - `longest task, ms: N` each second: the most processor time between two turns of the event loop. Elapsed
 *   time would include the work of other programs.
 * - `save dialog: {…}`: the options of a native save dialog.
 *
 * SIGUSR2 chooses "Save Report…" in the app's menu.
 */
const STEP_MS = 5
const TELL_MS = 1_000

let spent = process.cpuUsage()
let longestMs = 0
setInterval(() => {
  const now = process.cpuUsage()
  longestMs = Math.max(longestMs, (now.user + now.system - spent.user - spent.system) / 1_000)
  spent = now
}, STEP_MS)
setInterval(() => {
  console.log(`longest task, ms: ${longestMs.toFixed(1)}`)
  longestMs = 0
}, TELL_MS)

const showSaveDialog = dialog.showSaveDialog.bind(dialog) as (...all: unknown[]) => unknown
Object.assign(dialog, {
  showSaveDialog: (...all: unknown[]) => {
    console.log(`save dialog: ${JSON.stringify(all.at(-1))}`)
    return showSaveDialog(...all)
  },
})
process.on('SIGUSR2', () => {
  const items = Menu.getApplicationMenu()?.items.flatMap(({ submenu }) => submenu?.items ?? []) ?? []
  items.find(({ label }) => label === 'Save Report…')?.click()
})

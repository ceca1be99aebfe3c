import { dialog, Menu } from 'electron'

/**
 * Runs first in the main process of a staged app and tells on stdout what only the process itself can know.
 *
 * `longest task, ms: N` each second: the most processor time that passed between two turns of its loop. Time
 * alone would tell of the machine's other programs as well. `save dialog: {…}`: what a native save dialog was
 * asked for. SIGUSR2 chooses "Save Report…" in the app's menu.
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

import { buildWindow } from '../../renderer/harness/build-window.ts'

/** Builds the window before any worker serves it: two workers would write one folder together. */
// biome-ignore lint/style/noDefaultExport: Playwright calls the default export of its global setup
export default async function buildOnce(): Promise<void> {
  await buildWindow()
}

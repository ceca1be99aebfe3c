import { buildWindow } from '../../renderer/harness/build-window.ts'

/** Builds the window once before any worker serves it, because two workers would write to the same folder. */
// biome-ignore lint/style/noDefaultExport: Playwright calls the default export of its global setup
export default async function buildOnce(): Promise<void> {
  await buildWindow()
}

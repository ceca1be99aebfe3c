import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build, Platform } from 'electron-builder'
import { projectFolder } from '../desktop/builder-config.ts'
import { type ElectronRuntime, lacksWhatTheAppUses } from './electron-runtime.ts'
import { stageApp } from './staged-app.ts'

/** The app as electron-builder packages it, in a folder that every user may read. */
export interface PackagedApp {
  readonly folder: string
  readonly executable: string
  remove(): void
}

/**
 * Packages the checkout around `runtime` with electron-builder.yml, as for a release, but unpacked and
 * without an installer.
 *
 * If the runtime lacks something, `dist/desktop` is a copy with replacements. Linux only.
 */
export async function packageApp(runtime: ElectronRuntime): Promise<PackagedApp> {
  const output = mkdtempSync(join(tmpdir(), 'headroom-package-'))
  chmodSync(output, 0o755)
  const staged = await stageApp(runtime)
  try {
    const standIns = ['!dist/desktop/**', { from: staged.desktopFolder, to: 'dist/desktop' }]
    // These options are added to electron-builder.yml, which is read from the project's folder.
    await build({
      projectDir: projectFolder,
      targets: Platform.LINUX.createTarget('dir'),
      publish: 'never',
      config: {
        directories: { output },
        electronDist: runtime.dist,
        ...(lacksWhatTheAppUses(runtime) && { files: standIns }),
      },
    })
  } finally {
    staged.remove()
  }
  const folder = join(output, 'linux-unpacked')
  if (process.getuid?.() === 0) {
    // The package's own script does this after its installation.
    chownSync(join(folder, 'chrome-sandbox'), 0, 0)
    chmodSync(join(folder, 'chrome-sandbox'), 0o4755)
  }
  return {
    folder,
    executable: join(folder, 'headroom'),
    remove: () => rmSync(output, { recursive: true, force: true, maxRetries: 5 }),
  }
}

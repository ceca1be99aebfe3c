import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { z } from 'zod'
import { projectFolder } from '../desktop/builder-config.ts'
import { sqliteStandIn } from './carried-runtime.ts'
import { type ElectronRuntime, lacksWhatTheAppUses } from './electron-runtime.ts'
import { asScript } from './shims/as-script.ts'

/**
 * A copy of the built app in a folder that every user may read. A checkout below /root can't be read by other
 * users.
 */
export interface StagedApp {
  readonly folder: string
  /** The copy of `dist/desktop`. */
  readonly desktopFolder: string
  /** The path that Electron gets. */
  readonly main: string
  remove(): void
}

/**
 * Copies the built app and adds what `runtime` lacks. The build itself stays unchanged. `isObserved`: adds
 * `shims/observer.ts`.
 */
export async function stageApp(
  runtime: ElectronRuntime,
  { isObserved = false }: { readonly isObserved?: boolean } = {},
): Promise<StagedApp> {
  const folder = mkdtempSync(join(tmpdir(), 'headroom-app-'))
  chmodSync(folder, 0o755)
  cpSync(join(projectFolder, 'package.json'), join(folder, 'package.json'))
  for (const part of ['window', 'desktop'])
    cpSync(join(projectFolder, 'dist', part), join(folder, 'dist', part), { recursive: true })
  const desktopFolder = join(folder, 'dist', 'desktop')
  for (const [name, from] of packagesImported(desktopFolder))
    cpSync(from, join(folder, 'node_modules', name), { recursive: true, dereference: true })
  if (lacksWhatTheAppUses(runtime)) await putStandIns(desktopFolder)
  const main = join(desktopFolder, 'main.js')
  if (isObserved) {
    writeFileSync(join(desktopFolder, 'observer.js'), await asScript('observer'))
    writeFileSync(main, `import './observer.js'\n${readFileSync(main, 'utf8')}`)
  }
  return {
    folder,
    desktopFolder,
    main,
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  }
}

/** Makes every file of the bundle import the replacements. Changes nothing else. */
async function putStandIns(desktopFolder: string): Promise<void> {
  const standIns = join(desktopFolder, 'stand-ins')
  const files = scriptsIn(desktopFolder)
  mkdirSync(standIns)
  writeFileSync(join(standIns, 'electron.js'), await asScript('electron'))
  writeFileSync(join(standIns, 'sqlite.js'), sqliteStandIn())
  for (const file of files) {
    const up = relative(dirname(file), standIns)
    const from = (name: string) => `from "${up.startsWith('.') ? '' : './'}${up}/${name}.js"`
    const source = readFileSync(file, 'utf8')
    const changed = source
      .replaceAll(/^(import .*)from "electron";$/gm, `$1${from('electron')};`)
      .replaceAll(/^(import .*)from "node:sqlite";$/gm, `$1${from('sqlite')};`)
    if (changed !== source) writeFileSync(file, changed)
  }
}

function scriptsIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js'))
    .map((name) => join(folder, name))
}

const manifest = z.object({ dependencies: z.record(z.string(), z.string()).default({}) })

/** The packages that the bundle imports and theirs, by their place in `node_modules`. */
function packagesImported(desktopFolder: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const add = (name: string, folder: string) => {
    const from = packageFolder(name, folder)
    const place = from && relative(join(projectFolder, 'node_modules'), from)
    if (from === undefined || place === undefined || found.has(place)) return
    found.set(place, from)
    const { dependencies } = manifest.parse(JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')))
    for (const dependency of Object.keys(dependencies)) add(dependency, from)
  }
  for (const file of scriptsIn(desktopFolder)) {
    const bare = readFileSync(file, 'utf8').matchAll(
      /^import .*from "((?:@[^/"]+\/)?[^./"][^/":]*)[^":]*";$/gm,
    )
    for (const [, name = ''] of bare) if (name !== 'electron') add(name, projectFolder)
  }
  return found
}

/** `undefined` for a module of Node itself. */
function packageFolder(name: string, from: string): string | undefined {
  const paths = createRequire(join(from, 'package.json')).resolve.paths(name) ?? []
  return paths
    .map((folder) => join(folder, name))
    .find((folder) => {
      try {
        readFileSync(join(folder, 'package.json'))
        return true
      } catch {
        return false
      }
    })
}

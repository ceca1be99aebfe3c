import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { ofBuilderLib, projectFolder } from '../desktop/builder-config.ts'

const run = promisify(execFile)

/**
 * An unpacked app that electron-builder made from the checkout's `dist/`, and the arguments that it passed to
 * the tool for deb files.
 */
export interface BuiltPackage {
  readonly resources: string
  /** Paths inside of the archive. */
  readonly archived: readonly string[]
  /** The arguments with which `fpm` would have made the deb. */
  readonly fpmArguments: readonly string[]
  /** The text of the entry in the desktop's menu. */
  readonly desktopEntry: string
}

const asar = ofBuilderLib('@electron/asar') as {
  listPackage(archive: string, options: { isPack: boolean }): string[]
  extractFile(archive: string, path: string): Buffer
}

/** The package.json inside of the archive. */
export const manifestIn = (resources: string): unknown =>
  JSON.parse(asar.extractFile(join(resources, 'app.asar'), 'package.json').toString('utf8'))

/** A folder with Electron's file names and a block of fuses. Packaging needs nothing else of Electron. */
function electronShell(folder: string): string {
  const shell = join(folder, 'electron')
  mkdirSync(join(shell, 'resources'), { recursive: true })
  const fuses = Buffer.from([1, 8, ...Buffer.from('11111111')])
  const mark = Buffer.from('\0dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX')
  for (const name of ['electron', 'chrome-sandbox']) {
    writeFileSync(join(shell, name), Buffer.concat([mark, fuses, Buffer.alloc(64)]))
    chmodSync(join(shell, name), 0o755)
  }
  return shell
}

/** Builds `dir` and `deb` for Linux into `folder`, without a runtime, a network or a packing tool. */
export async function buildPackage(folder: string, options: readonly string[] = []): Promise<BuiltPackage> {
  const tools = join(folder, 'tools')
  const recorded = join(folder, 'fpm.txt')
  const entry = join(folder, 'headroom.desktop')
  mkdirSync(tools)
  // This replaces a tool that is downloaded on first use. The workflows use the real one.
  writeFileSync(
    join(tools, 'fpm'),
    `#!/bin/sh
     printf '%s\\n' "$@" > '${recorded}'
     for each; do case $each in
       *.desktop=*) cp "\${each%%=*}" '${entry}' ;;
     esac; done
     while [ "$1" != --package ]; do shift; done
     : > "$2"`,
    { mode: 0o755 },
  )
  const builder = join(
    createRequire(import.meta.url).resolve('electron-builder/package.json'),
    '../out/cli/cli.js',
  )
  const output = join(folder, 'release')
  await run(
    process.execPath,
    [
      builder,
      ...['--linux', 'dir', 'deb', '--x64', '--publish', 'never'],
      `-c.electronDist=${electronShell(folder)}`,
      `-c.directories.output=${output}`,
      ...options,
    ],
    {
      cwd: projectFolder,
      env: { ...process.env, USE_SYSTEM_FPM: 'true', PATH: `${tools}${delimiter}${process.env['PATH']}` },
    },
  )
  const resources = join(output, 'linux-unpacked/resources')
  return {
    resources,
    archived: asar.listPackage(join(resources, 'app.asar'), { isPack: false }),
    fpmArguments: readFileSync(recorded, 'utf8').split('\n'),
    desktopEntry: readFileSync(entry, 'utf8'),
  }
}

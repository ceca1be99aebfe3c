import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/*
 * Whether dist/ was built from the sources that lie beside it. Plain JavaScript: the launcher asks before anything is
 * built, the Vite configuration writes the stamp after every build.
 */

/**
 * Of every source's path, size and time. The newest time alone would miss a deleted file, and a file that
 * came back with an old date.
 */
export function sourceFingerprint(appFolder) {
  const hash = createHash('sha256')
  const add = (file) => {
    const { size, mtimeMs } = statSync(file)
    hash.update(`${relative(appFolder, file)} ${size} ${mtimeMs}\n`)
  }
  const walk = (folder) => {
    const entries = readdirSync(folder, { withFileTypes: true })
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) walk(path)
      else if (entry.isFile()) add(path)
    }
  }
  for (const folder of ['app', 'main', 'renderer']) walk(join(appFolder, folder))
  // The lock file: packages are part of the bundles.
  for (const file of ['vite.config.ts', 'package.json', 'package-lock.json']) {
    if (existsSync(join(appFolder, file))) add(join(appFolder, file))
  }
  return hash.digest('hex')
}

export function isBuilt(appFolder, fingerprint) {
  try {
    const stamp = JSON.parse(readFileSync(stampFile(appFolder), 'utf8'))
    return stamp.sources === fingerprint && existsSync(join(appFolder, 'dist', 'hosts', 'headroom.js'))
  } catch {
    return false // no stamp, or half of one: build
  }
}

/** `fingerprint` is of before the build: sources that change meanwhile are built again. */
export function writeStamp(appFolder, fingerprint) {
  writeFileSync(stampFile(appFolder), JSON.stringify({ sources: fingerprint }))
}

const stampFile = (appFolder) => join(appFolder, 'dist', 'built.json')

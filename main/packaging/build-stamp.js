import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/*
 * Checks whether dist/ was built from the present sources. Plain JavaScript, because the launcher uses it
 * before any build; the Vite configuration writes the stamp after every build.
 */

/**
 * A hash over path, size and modification time of every source. The newest time alone would not show a
 * deleted file, or a file restored with an old date.
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
  // The lock file is included, because packages are part of the bundles.
  for (const file of ['vite.config.ts', 'package.json', 'package-lock.json']) {
    if (existsSync(join(appFolder, file))) add(join(appFolder, file))
  }
  return hash.digest('hex')
}

/** Whether dist/ is complete and was built from sources with this fingerprint. */
export function isBuilt(appFolder, fingerprint) {
  try {
    const stamp = JSON.parse(readFileSync(stampFile(appFolder), 'utf8'))
    return stamp.sources === fingerprint && existsSync(join(appFolder, 'dist', 'hosts', 'headroom.js'))
  } catch {
    return false // no stamp, or an incomplete one: build
  }
}

/**
 * Records a build. Compute `fingerprint` before the build starts. If a source changes during the build, the
 * stamp then does not match, and the next start builds again.
 */
export function writeStamp(appFolder, fingerprint) {
  writeFileSync(stampFile(appFolder), JSON.stringify({ sources: fingerprint }))
}

const stampFile = (appFolder) => join(appFolder, 'dist', 'built.json')

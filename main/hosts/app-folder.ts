import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'

const packageFile = z.object({ name: z.literal('headroom'), version: z.string() })

export interface AppFolder {
  readonly path: string
  readonly version: string
}

/**
 * Finds the folder of Headroom's package.json, searching upwards from `file`. Sources, bundle and chunks are
 * at different depths.
 */
export function findAppFolder(file: string): AppFolder {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const version = versionIn(folder)
    if (version !== undefined) return { path: folder, version }
    if (folder === dirname(folder)) throw new Error(`no package.json of headroom above ${file}`)
  }
}

function versionIn(folder: string): string | undefined {
  try {
    const found = packageFile.safeParse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')))
    return found.success ? found.data.version : undefined
  } catch {
    return undefined // missing, or the package.json of another package
  }
}

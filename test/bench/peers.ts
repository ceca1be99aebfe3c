import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const FOLDER = fileURLToPath(new URL('peers/', import.meta.url))
const load = createRequire(`${FOLDER}package.json`)

/**
 * Loads a package that a bench compares Headroom with. It is a dependency of the separate package next to
 * this file, which the first call installs. `Shape` is the part of its types that the bench uses, because the
 * project does not install the real types.
 */
export function peer<Shape>(name: string): Shape {
  if (!existsSync(`${FOLDER}node_modules`)) {
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], {
      cwd: FOLDER,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  }
  return load(name) as Shape
}

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const FOLDER = fileURLToPath(new URL('peers/', import.meta.url))
const load = createRequire(`${FOLDER}package.json`)

/**
 * A package that a bench compares Headroom with, from the package of peers next to this file, which the first
 * call installs. `Shape` is what the bench uses of it: the peers' types are not installed with the project.
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

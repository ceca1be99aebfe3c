import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Plugin } from 'vite'

/** One package whose code, style or font is part of a bundle. */
export interface BundledPackage {
  readonly name: string
  readonly version: string
  /** SPDX expression, as the package states it. */
  readonly identifier?: string
  /** The package's licence file. Some packages ship none. */
  readonly text?: string
}

const PARTS_FILE = 'bundled-packages.json'
const LICENCE_FILE = /^(licen[cs]e|copying)/i

/**
 * A Vite plugin that writes the licences of all bundled packages of every environment into `file`.
 *
 * Vite's own `build.license` lists only packages with modules in a bundle. Files that a stylesheet uses, such
 * as fonts, are assets and not modules, so their packages are added here.
 */
export function thirdPartyNotices(file: string): Plugin {
  const packages = new Map<string, BundledPackage>()
  const add = (found: BundledPackage) => packages.set(`${found.name}@${found.version}`, found)
  return {
    name: 'headroom:third-party-notices',
    // One list for all Vite environments.
    sharedDuringBuild: true,
    enforce: 'post',
    configEnvironment: () => ({ build: { license: { fileName: PARTS_FILE } } }),
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        const { root } = this.environment.config
        const part = bundle[PARTS_FILE]
        if (part?.type !== 'asset') throw new Error(`Vite did not emit ${PARTS_FILE}`)
        for (const found of JSON.parse(String(part.source)) as BundledPackage[]) add(found)
        delete bundle[PARTS_FILE]
        for (const output of Object.values(bundle)) {
          if (output.type !== 'asset') continue
          for (const original of output.originalFileNames) {
            const found = original.includes('node_modules/') ? packageOf(resolve(root, original)) : undefined
            if (found !== undefined) add(found)
          }
        }
      },
    },
    buildApp: {
      order: 'post',
      handler: async () => writeFileSync(file, noticesText([...packages.values()])),
    },
  }
}

/** The package that a file belongs to: the nearest package.json with a name and a version. */
export function packageOf(file: string): BundledPackage | undefined {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    const found = packageIn(folder)
    if (found !== undefined) return found
  }
  return undefined
}

function packageIn(folder: string): BundledPackage | undefined {
  const entries = readdirSync(folder)
  if (!entries.includes('package.json')) return undefined
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  if (typeof name !== 'string' || typeof version !== 'string') return undefined
  const licenceFile = entries.find((entry) => LICENCE_FILE.test(entry))
  return {
    name,
    version,
    ...(typeof license === 'string' && { identifier: license }),
    ...(licenceFile !== undefined && { text: readFileSync(join(folder, licenceFile), 'utf8').trim() }),
  }
}

/**
 * The notices as text. Packages with the same licence text share one copy. Throws for a package without a
 * licence, which must not be shipped.
 */
export function noticesText(packages: readonly BundledPackage[]): string {
  const sections = new Map<string, string[]>()
  const byName = packages.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  for (const { name, version, identifier, text } of byName) {
    if (identifier === undefined && text === undefined)
      throw new Error(`${name} ${version} states no licence`)
    const body =
      text ?? 'The package names this licence in its package.json, but does not include the licence text.'
    sections.set(body, [
      ...(sections.get(body) ?? []),
      `${name} ${version} (${identifier ?? 'see the text'})`,
    ])
  }
  const parts = [...sections].map(([body, names]) => `## ${names.join(', ')}\n\n${body}\n`)
  return [
    '# Third-party notices\n',
    'Headroom contains the following packages, each under its own licence.\n',
    ...parts,
  ].join('\n')
}

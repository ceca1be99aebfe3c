import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

/**
 * Resolves packages from electron-builder's own folder, because they are its dependencies and not those of
 * the project.
 */
const ofBuilder = createRequire(createRequire(import.meta.url).resolve('electron-builder'))
export const ofBuilderLib = createRequire(ofBuilder.resolve('app-builder-lib'))

export const projectFolder = fileURLToPath(new URL('../..', import.meta.url))

const builderConfig = z.looseObject({
  appId: z.string(),
  productName: z.string(),
  files: z.array(z.string()),
  electronFuses: z.record(z.string(), z.boolean()),
  linux: z.looseObject({ icon: z.string(), target: z.array(z.string()), category: z.string() }),
  win: z.looseObject({ icon: z.string() }),
  mac: z.looseObject({ icon: z.string(), category: z.string() }),
})
export type BuilderConfig = z.output<typeof builderConfig>

/** electron-builder.yml as electron-builder's own YAML parser reads it. */
export function builderConfigFile(): unknown {
  const { load } = ofBuilderLib('js-yaml') as { load: (text: string) => unknown }
  return load(readFileSync(join(projectFolder, 'electron-builder.yml'), 'utf8'))
}

export const readBuilderConfig = (): BuilderConfig => builderConfig.parse(builderConfigFile())

/** Validates a configuration as electron-builder does before a build. Throws if it is not valid. */
export function validate(config: unknown): void {
  const folder = join(ofBuilder.resolve('app-builder-lib/package.json'), '..')
  const { validateSchema } = ofBuilder(join(folder, 'out/util/config/schemaValidator.js')) as {
    validateSchema: (schema: unknown, config: unknown) => void
  }
  validateSchema(JSON.parse(readFileSync(join(folder, 'scheme.json'), 'utf8')), structuredClone(config))
}

interface Fuses {
  readonly FuseVersion: { readonly V1: string }
  readonly FuseV1Options: Readonly<Record<string, string | number>> & {
    readonly LoadBrowserProcessSpecificV8Snapshot: number
  }
  readonly getCurrentFuseWire: (path: string) => Promise<Readonly<Record<number, number>>>
  readonly flipFuses: (path: string, config: Readonly<Record<string, string | boolean>>) => Promise<unknown>
}

/** Electron's own tool for the fuses of an executable. */
export const fuses = (): Fuses => ofBuilderLib('@electron/fuses') as Fuses

/**
 * The fuses of a packaged executable, by their names in electron-builder.yml. `undefined` if that Electron
 * does not have the fuse.
 */
export async function fusesOf(executable: string): Promise<Readonly<Record<string, boolean | undefined>>> {
  const { getCurrentFuseWire, FuseV1Options } = fuses()
  const wire = await getCurrentFuseWire(executable)
  const on = '1'.charCodeAt(0)
  const off = '0'.charCodeAt(0)
  return Object.fromEntries(
    Object.entries(FuseV1Options)
      .filter((entry): entry is [string, number] => typeof entry[1] === 'number')
      .map(([name, index]) => {
        const state = wire[index]
        const key = `${name.charAt(0).toLowerCase()}${name.slice(1)}`
        return [key, state === on ? true : state === off ? false : undefined]
      }),
  )
}

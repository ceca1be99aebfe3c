import { fileURLToPath } from 'node:url'
import { createBuilder } from 'vite'

const at = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url))

/** Builds the window alone, beside what `npm run build` makes, and returns the folder. */
export async function buildWindow(): Promise<string> {
  const outDir = at('node_modules/.cache/window-harness')
  const builder = await createBuilder({
    configFile: at('vite.config.ts'),
    logLevel: 'warn',
    environments: { client: { build: { outDir } } },
  })
  const { client } = builder.environments
  if (client === undefined) throw new Error('vite.config.ts has no client environment')
  await builder.build(client)
  return outDir
}

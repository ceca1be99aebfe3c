import { fileURLToPath } from 'node:url'
import { createBuilder } from 'vite'

const at = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url))

/** The folder of the last `buildWindow`, next to the output of `npm run build`. */
export const BUILT_WINDOW = at('node_modules/.cache/window-harness')

/** Builds only the window, into `BUILT_WINDOW`, and returns that path. */
export async function buildWindow(): Promise<string> {
  const builder = await createBuilder({
    configFile: at('vite.config.ts'),
    logLevel: 'warn',
    environments: { client: { build: { outDir: BUILT_WINDOW } } },
  })
  const { client } = builder.environments
  if (client === undefined) throw new Error('vite.config.ts has no client environment')
  await builder.build(client)
  return BUILT_WINDOW
}

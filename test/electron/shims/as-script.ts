import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { transformWithOxc } from 'vite'

/** One of this folder's files as the JavaScript that an older runtime can run. */
export async function asScript(name: 'default-app' | 'electron' | 'observer'): Promise<string> {
  const file = fileURLToPath(new URL(`${name}.ts`, import.meta.url))
  const { code } = await transformWithOxc(await readFile(file, 'utf8'), file)
  return code
}

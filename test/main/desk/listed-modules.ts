import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

/**
 * Preloaded into a process under test. Writes the addresses of all modules that the process has loaded to a
 * file.
 */
const { LISTED_MODULES: file = '' } = process.env
const listed = new Set<string>()

registerHooks({
  load: (url, context, next) => {
    listed.add(url)
    writeFileSync(file, [...listed].join('\n'))
    return next(url, context)
  },
})

import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

/** Loaded before a script of its own process: appends the address of each module that is loaded to a file. */
const { LISTED_MODULES: file = '' } = process.env
const listed = new Set<string>()

registerHooks({
  load: (url, context, next) => {
    listed.add(url)
    writeFileSync(file, [...listed].join('\n'))
    return next(url, context)
  },
})

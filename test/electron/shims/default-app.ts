import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { app } from 'electron/main'

/**
 * What a bare runtime runs first, in one whose own is missing: it hands over to the file that it was given.
 *
 * `app.isPackaged` goes by the executable's name, and `process.defaultApp` tells that the arguments begin one
 * later.
 */
const given = process.argv.slice(1).find((word) => !word.startsWith('-'))
if (given === undefined) {
  process.stderr.write('which file?\n')
  app.exit(2)
} else {
  const file = resolve(given)
  Object.defineProperty(process, 'defaultApp', { configurable: false, enumerable: true, value: true })
  // Not among the types: it is for default apps alone.
  Reflect.apply(Reflect.get(app, 'setAppPath'), app, [dirname(file)])
  await import(pathToFileURL(file).href)
}

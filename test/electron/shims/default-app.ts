import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { app } from 'electron/main'

/**
 * The default app of a runtime that has none: it runs the file in the first argument.
 *
 * `app.isPackaged` depends on the executable's name. `process.defaultApp` shows that the arguments of the app
 * begin one position later.
 */
const given = process.argv.slice(1).find((word) => !word.startsWith('-'))
if (given === undefined) {
  process.stderr.write('which file?\n')
  app.exit(2)
} else {
  const file = resolve(given)
  Object.defineProperty(process, 'defaultApp', { configurable: false, enumerable: true, value: true })
  // This function has no type, because only default apps may use it.
  Reflect.apply(Reflect.get(app, 'setAppPath'), app, [dirname(file)])
  await import(pathToFileURL(file).href)
}

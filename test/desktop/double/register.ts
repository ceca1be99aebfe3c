import { registerHooks } from 'node:module'

/** To be preloaded with `--import`. Every import of `electron` in this process gets the double. */
const double = new URL('./electron.ts', import.meta.url).href

registerHooks({
  resolve: (specifier, context, next) =>
    /^electron(?:\/main)?$/.test(specifier)
      ? { url: double, format: 'module-typescript', shortCircuit: true }
      : next(specifier, context),
})

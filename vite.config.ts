import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { isolatedDeclarationSync } from 'rolldown/experimental'
import { defineConfig, type Rolldown } from 'vite'
import { sourceFingerprint, writeStamp } from './main/packaging/build-stamp.js'
import { thirdPartyNotices } from './main/packaging/third-party-notices.ts'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

const SIMULATOR_LIBRARY = 'main/simulator/library.ts'

/** The types of `headroom/simulator`, from the single file that names them all. */
const simulatorTypes = (): Rolldown.Plugin => ({
  name: 'simulator-types',
  generateBundle() {
    const path = at(SIMULATOR_LIBRARY)
    const { code, errors } = isolatedDeclarationSync(path, readFileSync(path, 'utf8'))
    for (const { message } of errors) this.error(message)
    this.emitFile({ type: 'asset', fileName: 'simulator.d.ts', source: code })
  },
})

/** For the programs beside it: what `watch --json` writes, and a dashboard of the metrics. */
const filesForOthers = (): Rolldown.Plugin => ({
  name: 'files-for-others',
  generateBundle() {
    for (const path of [
      'main/hosts/terminal/json-lines.schema.json',
      'main/packaging/grafana-dashboard.json',
    ]) {
      this.emitFile({ type: 'asset', fileName: basename(path), source: readFileSync(at(path)) })
    }
  },
})

/** The windows' icon, in its place beside the desktop's bundle. */
const windowIcon = (): Rolldown.Plugin => ({
  name: 'window-icon',
  generateBundle() {
    const source = readFileSync(at('main/hosts/desktop/icons/icon.png'))
    this.emitFile({ type: 'asset', fileName: 'icon.png', source })
  },
})

/**
 * One configuration, four builds: the window, the preload script, Electron's main and the Node hosts.
 *
 * The terminal's packages stay outside of its bundle: npm installs them beside it. The desktop's bundles hold all but
 * Electron itself: an installer then carries no node_modules, and a sandboxed preload can require nothing else.
 */
export default defineConfig({
  root: at('renderer'),
  base: '/',
  plugins: [react(), thirdPartyNotices(at('dist/THIRD_PARTY_NOTICES.md'))],
  builder: {
    buildApp: async (builder) => {
      const sources = sourceFingerprint(at('.'))
      for (const environment of Object.values(builder.environments)) {
        if (environment.name !== 'ssr') await builder.build(environment)
      }
      // The launcher then starts what `npm run build` built.
      writeStamp(at('.'), sources)
    },
  },
  environments: {
    client: {
      build: {
        outDir: at('dist/window'),
        emptyOutDir: true,
        target: 'chrome140',
        modulePreload: { polyfill: false },
        assetsInlineLimit: 0,
        rolldownOptions: {
          input: at('renderer/index.html'),
          // All modules of the first paint in one chunk: shared by pages that load later, they would be split
          // into many, which compress worse.
          output: { codeSplitting: { groups: [{ name: 'window', tags: ['$initial'] }] } },
        },
      },
    },
    preload: {
      consumer: 'server',
      resolve: { noExternal: true, external: ['electron'] },
      build: {
        outDir: at('dist/desktop'),
        emptyOutDir: false,
        target: 'chrome140',
        copyPublicDir: false,
        rolldownOptions: {
          input: { preload: at('main/hosts/desktop/preload.ts') },
          external: ['electron'],
          output: { format: 'cjs', entryFileNames: '[name].cjs' },
        },
      },
    },
    desktop: {
      consumer: 'server',
      resolve: { noExternal: true, external: ['electron'] },
      build: {
        outDir: at('dist/desktop'),
        emptyOutDir: false,
        target: 'node24',
        copyPublicDir: false,
        rolldownOptions: {
          input: { main: at('main/hosts/desktop/main.ts') },
          external: ['electron'],
          plugins: [windowIcon()],
          output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
        },
      },
    },
    hosts: {
      consumer: 'server',
      // In a file that is loaded where metrics are pushed: 20 MB of packages otherwise, for everybody.
      resolve: { noExternal: [/^@opentelemetry\//] },
      build: {
        outDir: at('dist/hosts'),
        emptyOutDir: true,
        target: 'node24',
        copyPublicDir: false,
        rolldownOptions: {
          input: { headroom: at('main/hosts/terminal/headroom.ts'), simulator: at(SIMULATOR_LIBRARY) },
          plugins: [simulatorTypes(), filesForOthers()],
          output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
        },
      },
    },
  },
})

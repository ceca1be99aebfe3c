import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** A source file, by its path from the project's folder. */
export interface Source {
  readonly path: string
  readonly text: string
}

/** The product's TypeScript and styles below `folder`, the project's folder. */
export const productSources = (folder: string): readonly Source[] =>
  sourcesBelow(folder, ['app', 'main', 'renderer'])

/** The TypeScript of the tests below `folder`, the project's folder. */
export const testSources = (folder: string): readonly Source[] => sourcesBelow(folder, ['test'])

function sourcesBelow(folder: string, tops: readonly string[]): readonly Source[] {
  return tops.flatMap((top) =>
    readdirSync(join(folder, top), { recursive: true, encoding: 'utf8' })
      .map((name) => join(top, name))
      .filter((path) => /\.(tsx?|css)$/.test(path))
      .sort()
      .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') })),
  )
}

/**
 * The rooms of `main/` from the lowest layer up: a room imports from its own layer and from those below.
 * Rooms that are not named are in the second layer.
 */
const LAYERS: readonly (readonly string[])[] = [
  ['main/ports', 'main/storage', 'main/network'],
  [],
  ['main/monitor'],
  ['main/history', 'main/alerts', 'main/metrics', 'main/gateway', 'main/orders', 'main/desk', 'main/control'],
  ['main/hosts'],
]
const DEFAULT_LAYER = 1

/** The folder below `app/`, `main/` or `renderer/`. Each host is a separate room. */
export function roomOf(path: string): string {
  const [top = '', room = '', host = '', ...rest] = path.split('/')
  if (host === '') return top
  return room === 'hosts' && rest.length > 0 ? `${top}/${room}/${host}` : `${top}/${room}`
}

function layerOf(room: string): number {
  const found = LAYERS.findIndex((rooms) => rooms.some((one) => room === one || room.startsWith(`${one}/`)))
  return found === -1 ? DEFAULT_LAYER : found
}

export interface Import {
  readonly from: string
  readonly to: string
}

export function importsOf({ path, text }: Source): readonly Import[] {
  return [...text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(([, specifier = '']) => ({
    from: path,
    to: normalize(join(dirname(path), specifier)),
  }))
}

/** Imports of `main/` from a lower layer into a higher one, as `from → to`. */
export function upwardArrows(sources: readonly Source[]): readonly string[] {
  return sources
    .flatMap(importsOf)
    .filter(({ from, to }) => from.startsWith('main/') && to.startsWith('main/'))
    .filter(({ from, to }) => layerOf(roomOf(from)) < layerOf(roomOf(to)))
    .map(({ from, to }) => `${from} → ${to}`)
}

/** Groups of two or more rooms that import each other, directly or through other rooms. */
export function circles(sources: readonly Source[]): readonly (readonly string[])[] {
  const targets = new Map<string, Set<string>>()
  for (const { path } of sources) targets.set(roomOf(path), new Set())
  for (const { from, to } of sources.flatMap(importsOf)) {
    if (roomOf(from) !== roomOf(to)) targets.get(roomOf(from))?.add(roomOf(to))
  }
  const reachable = new Map([...targets.keys()].map((room) => [room, reachableFrom(room, targets)]))
  const found = new Map<string, readonly string[]>()
  for (const [room, there] of reachable) {
    const circle = [...there].filter((other) => reachable.get(other)?.has(room)).sort()
    if (circle.length > 1) found.set(circle.join(' '), circle)
  }
  return [...found.values()]
}

function reachableFrom(room: string, targets: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const seen = new Set<string>()
  const open = [room]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const target of targets.get(next) ?? []) {
      if (seen.has(target)) continue
      seen.add(target)
      open.push(target)
    }
  }
  return seen
}

const EXPORTED = /^export (?:abstract |async )?(?:class|const|function\*?|interface|type|enum|let) (\w+)/gm

/** Names that two files or more export, sorted. */
export function namesExportedTwice(sources: readonly Source[]): readonly string[] {
  const files = new Map<string, Set<string>>()
  for (const { path, text } of sources) {
    for (const [, name = ''] of text.matchAll(EXPORTED)) {
      files.set(name, (files.get(name) ?? new Set()).add(path))
    }
  }
  return [...files].flatMap(([name, paths]) => (paths.size > 1 ? [name] : [])).sort()
}

const linesOf = ({ text }: Source): number => text.split('\n').length - 1

/** The rooms that describe problems of a key to people. */
const SPEAKING =
  /^(?:app\/(?:conditions|status|alerts)|main\/alerts|renderer\/(?:alerts|events|verdict|glance|strip))\/|^main\/hosts\/(?:desktop\/tray|terminal\/(?:table|program-rows|changes)\.)/
/** Files with texts about a newer version or about the result of a button. They do not count. */
const OF_CONTROLS = [
  'app/status/update-status.ts',
  'renderer/events/export-items.tsx',
  'renderer/verdict/finding-chips.tsx',
]
const MESSAGES = 'app/conditions/messages'

/**
 * The modules that compose sentences about conditions. Such a module has a text with an inserted value that
 * ends in a full stop. The folder of messages counts as one.
 */
export function sentenceModules(sources: readonly Source[]): readonly string[] {
  const composing = sources
    .filter(({ path }) => SPEAKING.test(path) && !OF_CONTROLS.includes(path))
    .filter(({ text }) =>
      /`[^`\n]*\$\{[^`\n]*\w\.`|`[^`\n]* [^`\n]*\}\.`/.test(text.replace(/\/\*[\s\S]*?\*\//g, '')),
    )
    .map(({ path }) => (path.startsWith(`${MESSAGES}/`) ? MESSAGES : path))
  return [...new Set(composing)]
}

/** Lines in thousands, rounded up, so that a fix with its test rarely changes the figure. */
export const thousandsOfLines = (sources: readonly Source[]): number =>
  Math.ceil(sources.map(linesOf).reduce((sum, lines) => sum + lines, 0) / 1000)

/**
 * The figures of the product's structure. Each may only fall, except in a commit that adds a capability and
 * says why. Only lines of TypeScript and styles count.
 */
export function figuresOf(sources: readonly Source[]) {
  const code = sources.filter(({ path }) => !path.endsWith('.css'))
  const inCircles = (top: string) =>
    circles(code)
      .flat()
      .filter((room) => room.startsWith(top)).length
  return {
    'thousands of lines of product': thousandsOfLines(sources),
    'files of product': sources.length,
    'upward arrows in main': upwardArrows(code).length,
    'rooms of app in a circle': inCircles('app'),
    'rooms of main in a circle': inCircles('main'),
    'rooms of renderer in a circle': inCircles('renderer'),
    'names exported twice': namesExportedTwice(code).length,
    'files under 30 lines': code.filter((source) => linesOf(source) < 30).length,
    'modules that compose sentences of conditions': sentenceModules(code).length,
    'files over 400 lines': code.filter((source) => linesOf(source) > 400).length,
  }
}
